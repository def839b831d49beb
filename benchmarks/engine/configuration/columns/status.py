from ade_engine import Field

field = Field("status", label="Status", aliases=["State"], choices=["open", "closed"])


def transform(value):
    return value.strip().lower()
