from ade_engine import Field

field = Field(
    "member_id",
    label="Member ID",
    required=True,
    unique=True,
    aliases=["Mitgliedsnummer", "N° de membre", "Member #", "Member number"],
)


def detect_pattern(column):
    return 0.6 * column.share_matching(r"MB\d{6}")


def transform(value):
    return str(value).strip().upper()


def validate(value):
    if len(value) != 8:
        return "must have 8 characters"
