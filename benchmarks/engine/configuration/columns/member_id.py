from ade_engine import Field

field = Field("member_id", label="Member ID", required=True, aliases=["Member #"])


def transform(value):
    return value.strip().upper()


def validate(value):
    if len(value) != 9:
        return "must have 9 characters"
