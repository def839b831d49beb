from ade_engine import Field

field = Field("first_name", label="First name", required=True, aliases=["Vorname", "Prénom", "Given name"])
