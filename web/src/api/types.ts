/** What the API sends, generated from its OpenAPI document (`npm run api`), under the names the pages use. */
import type { components, paths } from "./schema";

type Schemas = components["schemas"];

export type Analytics = Schemas["Analytics"];
export type AnalyticsSlice = Schemas["AnalyticsSlice"];
export type ApiKey = Schemas["ApiKey"];
export type AuditEntry = Schemas["AuditRow"];
export type Build = Schemas["Build"];
export type BuildStatus = Schemas["BuildStatus"];
export type Cells = Omit<Schemas["Cells"], "rows"> & { rows: CellRow[] };
/** `row` is its place in the grid; `number` the one it has in the file, where rows are sorted or filtered. */
export type CellRow = Schemas["CellRow"] & { number?: number };
export type CellValue = Schemas["Cell"];
export type CaseReport = Schemas["CaseReport"];
export type CaseReports = Schemas["CaseReports"];
export type CheckResult = Schemas["CheckResult"];
export type Configuration = Schemas["Configuration"];
export type ConfigurationFile = Schemas["FileFacts"];
export type ConfigurationProblem = Schemas["ConfigurationProblem"];
/** What a person decided about documents. */
export type Correction =
  | Schemas["HeaderCorrection"]
  | Schemas["ColumnCorrection"]
  | Schemas["ValueCorrection"]
  | Schemas["SheetCorrection"]
  | Schemas["RowCorrection"]
  | Schemas["CellCorrection"]
  | Schemas["RangeCorrection"]
  | Schemas["FieldCorrection"]
  | Schemas["NewFieldCorrection"];
export type CreatedApiKey = Schemas["CreatedApiKey"];
export type Difference = Schemas["Difference"];
export type Document = Schemas["Document"];
export type Estimate = Schemas["ProjectedPlace"];
export type Failure = Schemas["Failure"];
export type FoundCells = Schemas["FoundCells"];
export type InferredField = Schemas["InferredField"];
export type IssueCounts = Schemas["IssueCounts"];
export type IssueValues = Schemas["IssueValues"];
export type ValueCorrection = Schemas["ValueCorrection"];
export type CellCorrection = Schemas["CellCorrection"];
export type ValueGroup = Schemas["ValueGroup"];
export type IssueGroup = Schemas["IssueGroup"];
export type Member = Schemas["Member"];
export type Overview = Schemas["Overview"];
export type Pause = Schemas["Pause"];
export type Percentiles = Schemas["Percentiles"];
export type Plan = Schemas["Plan"];
export type Proposal = Schemas["ProposedRun"];
export type ProposalState = Schemas["ProposalState"];
export type Queue = Schemas["Queue"];
export type QueuedRun = Schemas["QueuedRun"];
export type Role = Schemas["Role"];
export type Run = Schemas["Run"];
export type RunStatus = Schemas["RunStatus"];
export type Verdict = Schemas["Verdict"];
export type Session = Schemas["Session"];
export type Setting = Schemas["Setting"];
export type SettingsList = Schemas["SettingsList"];
export type SignInWays = Schemas["SignInWays"];
export type User = Schemas["User"];
export type Version = Schemas["Version"];
export type WaitingFor = Schemas["WaitingFor"];
export type Worker = Schemas["Worker"];
export type Workspace = Schemas["Workspace"];

/** Its further keys depend on its type. */
export type RunEvent = Schemas["Event"] & Record<string, unknown>;

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A field of an example document that a new configuration shall have; what is left out stays as inferred. */
export type ChosenField = NonNullable<NewConfiguration["fields"]>[number];
type NewConfiguration =
  paths["/api/v1/workspaces/{workspace_id}/configurations"]["post"]["requestBody"]["content"]["application/json"];

export interface Listed<T> {
  items: T[];
}
