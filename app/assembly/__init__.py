"""From what is needed to a battery of at most ten assessments, each with its reason."""

from app.assembly.battery import BatteryAssembler

__all__ = ["BatteryAssembler"]
