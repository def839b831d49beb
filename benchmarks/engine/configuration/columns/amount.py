from ade_engine import Field

field = Field("amount", label="Amount", type="number", aliases=["Amount due"], minimum=0)
