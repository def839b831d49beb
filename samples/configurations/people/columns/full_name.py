from ade_engine import Field

field = Field("full_name", label="Full name")


def transform(row):
    parts = [row["first_name"], row["last_name"]]
    return " ".join(part for part in parts if part) or None
