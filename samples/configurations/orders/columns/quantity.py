from ade_engine import Field

field = Field("quantity", label="Quantity", type="integer", minimum=1, aliases=["Qty", "Pieces"])
