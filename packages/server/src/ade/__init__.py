"""ADE: messy spreadsheets in, one clean workbook and an explanation out."""

__version__ = "0.1.0"
