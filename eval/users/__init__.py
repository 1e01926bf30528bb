"""Who plays the recruiter: the recording, a persona with facts, a language model."""

from eval.users.base import User, UserFactory, Utterance
from eval.users.persona import PersonaUser
from eval.users.scripted import ScriptedUser

__all__ = ["PersonaUser", "ScriptedUser", "User", "UserFactory", "Utterance"]
