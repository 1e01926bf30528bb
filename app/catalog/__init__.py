"""The catalogue: facts about every assessment, and look-up by id."""

from app.catalog.models import Assessment, AssessmentId, Duration, Level, TestType
from app.catalog.store import Catalog, load_catalog

__all__ = ["Assessment", "AssessmentId", "Catalog", "Duration", "Level", "TestType", "load_catalog"]
