"""Invoices."""


def cancel(number: int) -> str:
    """Cancel an invoice that was sent."""
    return f"cancelled {number}"
