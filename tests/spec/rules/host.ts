import { rulesOf } from "../rule.ts";

/** What only the host can do. */
export const hostRules = rulesOf("the host", {
  "host.https": { text: "use HTTPS in production", documented: "SECURITY.md#https" },
  "host.no-key-logs": { text: "do not log headers or bodies that may hold keys", documented: "SECURITY.md#logging" },
  "host.rotation": { text: "keys of requests rotate without a restart", documented: "SECURITY.md#rotation" },
  "host.rate-limit": { text: "limit the rate per key among several tenants", documented: "SECURITY.md#rate-limits" },
});
