from ade_engine import Field

field = Field("last_name", label="Last name", required=True, aliases=["Nachname", "Nom de famille", "Surname"])
