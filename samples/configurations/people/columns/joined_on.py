from ade_engine import Field

field = Field(
    "joined_on",
    label="Joined on",
    type="date",
    aliases=["Joined", "Since Joined", "Eintrittsdatum", "Date d'adhésion", "Member since"],
    day_first=True,
)
