"""Turns a messy spreadsheet into a clean workbook, and explains every decision."""

__version__ = "0.1.0"
