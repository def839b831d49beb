/** Writes src/api/artifact.schema.d.ts: the types of artifact.json, from the schema that is published with the engine. */
import { readFileSync, writeFileSync } from "node:fs";
import { URL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const SCHEMA = new URL("../packages/engine/src/ade_engine/artifact.schema.json", import.meta.url);
const TYPES = new URL("src/api/artifact.schema.d.ts", import.meta.url);

// The generator of the API's types reads OpenAPI, whose components are the same JSON Schema under another address.
const { $schema, $id, $defs, ...artifact } = JSON.parse(
  readFileSync(SCHEMA, "utf8").replaceAll("#/$defs/", "#/components/schemas/"),
);
const written = await openapiTS({
  openapi: "3.1.0",
  jsonSchemaDialect: $schema,
  info: { title: artifact.title, version: $id },
  paths: {},
  components: { schemas: { ...$defs, artifact } },
});
writeFileSync(TYPES, `// Generated from artifact.schema.json by \`npm run artifact\`.\n${astToString(written)}`);
