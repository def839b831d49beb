/** artifact.json, generated from the schema that is published with the engine (`npm run artifact`). */
import type { components } from "./artifact.schema";

type Parts = components["schemas"];

export type Artifact = Parts["artifact"];
export type ArtifactColumn = Parts["column"];
export type ArtifactSheet = Parts["sheet"];
export type ArtifactTable = Parts["table"];
export type Contribution = Parts["contribution"];
export type Issue = Parts["issue"];
export type Severity = Issue["severity"];
export type Summary = Parts["summary"];
