"""What is built, what is missing, and what disturbs measurements now."""

from groma.doctor.examine import advice_of, examine
from groma.doctor.finding import Finding, Severity

__all__ = ["Finding", "Severity", "advice_of", "examine"]
