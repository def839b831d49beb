from ade_engine import Field

field = Field("ordered_on", label="Ordered on", type="date", required=True, aliases=["Order date", "Date ordered"])
