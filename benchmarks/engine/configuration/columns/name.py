from ade_engine import Field

field = Field("name", label="Name", required=True, aliases=["Given name"])


def transform(value):
    return " ".join(value.split()).title()
