"""What does a server answer, and to whom? Every question names who asks, and the door decides before any store is asked."""

from clew.serving.home import Home
from clew.serving.looks import KINDS, Lines, Look, Looked, Outlined, Outlines
from clew.serving.service import Service

__all__ = ["KINDS", "Home", "Lines", "Look", "Looked", "Outlined", "Outlines", "Service"]
