/** Why a run failed, in a few words. */
import type { Failure } from "~/api/types";

const TITLES: Record<Failure["code"], string> = {
  build_failed: "The configuration could not be built",
  earlier_phase_failed: "An earlier phase failed",
  timed_out: "It took too long",
  process_terminated: "Its process was ended",
  configuration_error: "A rule of the configuration failed",
  input_error: "The document could not be read",
  resource_limit: "It needed more than its limit",
  isolation_unavailable: "The isolation was not sufficient",
  network_unavailable: "It could not get its network access",
  internal_error: "The server had an internal error",
};

export function failureTitle({ code }: Pick<Failure, "code">): string {
  return TITLES[code] ?? "The run failed";
}
