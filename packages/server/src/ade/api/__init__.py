"""HTTP: routes, schemas and problem details."""
