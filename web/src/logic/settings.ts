/** Settings in the order people look for them. */
import type { Setting } from "~/api/types";

const GROUPS: [string, RegExp][] = [
  ["Sign-in and people", /^ADE_(AUTH_|ALLOWED_|SESSION_|PUBLIC_|OIDC_)/],
  ["Queue", /^ADE_(QUEUE_|MAX_RUNNING|MAX_STARTS|LEASE_|TICK_|RUN_|PRIORITY_)/],
  ["Limits of one run", /^ADE_(WORKER_|RUNTIME_|MIN_ISOLATION|BUILD_)/],
  ["Workers", /^ADE_(MAX_CONCURRENCY|SHUTDOWN_|MEMORY_|CPU_|WHEELHOUSE|MIN_FREE)/],
  ["Uploads and calls", /^ADE_(MAX_|WEBHOOK_)/],
  ["Retention", /^ADE_RETENTION_/],
];
const REST = "Server";

/** Return settings by what they are about, the server's own first; each is in one group. */
export function grouped(settings: Setting[]): [string, Setting[]][] {
  const found = new Map<string, Setting[]>([REST, ...GROUPS.map(([title]) => title)].map((title) => [title, []]));
  for (const setting of settings)
    found.get(GROUPS.find(([, pattern]) => pattern.test(setting.name))?.[0] ?? REST)?.push(setting);
  return [...found].filter(([, inside]) => inside.length > 0);
}
