import type { DeclaredResponses, Evidence, Invariant } from "../evidence.ts";
import type { SeenResponse } from "../operation-log.ts";

const upstreamStatuses = [502, 503, 504];

/** I8: every answer is one that the service declares. */
export const declaredResponses: Invariant = {
  promise: "Every response is declared; 502, 503 and 504 only while upstream or storage fail, and no other 5xx.",
  needs: ["operations", "declared"],
  *breaches({ operations, responses = [], declared = {} }: Evidence) {
    const ofTurns = operations.flatMap((one) => (one.type === "invoke" ? [] : (one.response ?? [])));
    for (const response of [...ofTurns, ...responses]) {
      const breach = judge(response, declared);
      if (breach !== undefined) yield `${response.route} got ${breach}`;
    }
  },
};

function judge({ route, status, body, fault }: SeenResponse, declared: DeclaredResponses): string | undefined {
  if (status >= 500 && !upstreamStatuses.includes(status)) return `${status}, which is never right.`;
  if (status >= 500 && fault === undefined) return `${status} though no fault was injected.`;
  const hasForm = declared[route]?.[status];
  if (hasForm === undefined) return `${status}, which is not declared.`;
  return hasForm(body) ? undefined : `${status} with a body of another form: ${JSON.stringify(body)?.slice(0, 120)}`;
}
