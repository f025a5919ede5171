/** A report of schemathesis as we judge it: the faults, and the number of claims that do not hold, by reason. */
export type JudgedReport = { readonly faults: readonly string[]; readonly refuted: ReadonlyMap<string, number> };

/** A case that failed: the operation that was asked, as method and path, and what the tool says of it. */
type FailedCase = { readonly operation: string; readonly said: string };

/** In a form every field is text: the number that the tool means arrives as a string, which the description allows. */
const textOfForms = /\(was string, became [^]*Content-Type: multipart\/form-data/;

/** The claim that a string in a body violates a pattern: the place of its schema, and the string. */
const patternClaim =
  /Invalid component: in body - violates `pattern` at (\/\S+) \((?:was "[^]*?", )?became "([^]*?)"\)\n\s*\n\s*\[\d{3}\] /;

/** The claim that valid data was rejected, with the answer that did it. */
const rejectionClaim = /^- ST202 [^]*?\n\[(\d{3})\] [^\n]*\n\s*`(\{"error":[^\n]*\})`/m;

/** Refusals of valid requests that depend on what the service keeps, on two headers together, or on which of several messages is the last: no schema can say them. */
const refusals: readonly { status: string; says: RegExp; at: RegExp; reason: string }[] = [
  {
    status: "422",
    says: /"code":"idempotency_mismatch"/,
    at: /^POST .*\/(run|stream)$/,
    reason: "the Idempotency-Key came with another request before",
  },
  {
    status: "410",
    says: /"code":"gone"/,
    at: /^POST .*\/stream$|^GET \/runs\/\{runId\}\/events$/,
    reason: "what the client goes on with is not kept",
  },
  {
    status: "400",
    says: /"code":"invalid_request","message":"Last-Event-ID needs the Idempotency-Key /,
    at: /^POST .*\/stream$/,
    reason: "Last-Event-ID came without the Idempotency-Key of its run",
  },
  {
    status: "422",
    says: /"code":"idempotency_mismatch"/,
    at: /^POST \/agui\//,
    reason: "the runId came with another request before",
  },
  {
    status: "400",
    says: /"code":"invalid_request","message":"messages\[\d+\]\.content[[ ]/,
    at: /^POST \/agui\//,
    reason: "the last message of the user is blank",
  },
  {
    status: "400",
    says: /"code":"invalid_request","message":"tools\[\d+\](?:\.name)? must /,
    at: /^POST \/agui\//,
    reason: "the front end's tools are none that the agent can have",
  },
  {
    status: "400",
    says: /"code":"invalid_request","message":"The input does not fit the workflow's schema\. /,
    at: /^POST \/agui\/workflows\//,
    reason: "the state does not fit the schema that the workflow declares, which has words that OpenAPI 3.0 lacks",
  },
];

/** The claim that a form lacks a field, which the tool has left out of one alternative and put in by another. */
const missingClaim =
  /Invalid component:(?:\n\s+- query: violates `additionalProperties`\n\s+-)? (?:in )?body(?::| -) violates `required` at \S+\/properties\/(\w+)\n/;

/** OpenAPI 3.0 has no word for events: the body is a string, and the tool takes the schema of the string for that of each event. */
const eventClaim = /^- ST108 [^]*?\n\s*Event #\d+: \{[^\n]* is not of type "string"\n[^]*"x-event-data": \{/m;

/**
 * Reads a report, which has a section for each operation, and in it a number for each case that failed. A case whose only
 * finding is a claim that we can refute, by the service's own OpenAPI description, is no fault.
 */
export function judgeReport(report: string, description: unknown): JudgedReport {
  const sections = report.split(/^_{3,} (?=[A-Z]+ \/|Stateful)/m).slice(1);
  const failed = sections.flatMap((section): FailedCase[] => {
    const [operation = ""] = section.split(/ _{3,}$/m);
    const cases = section.split(/^\d+\. Test Case ID: /m).slice(1);
    return (cases.length > 0 ? cases : [section]).map((said) => ({
      operation,
      said: said.split(/^=+ |^_+ /m)[0] ?? "",
    }));
  });
  const faults: string[] = [];
  const refuted = new Map<string, number>();
  for (const each of failed) {
    const reason = (each.said.match(/^- [A-Z]+\d+ /gm) ?? []).length === 1 ? refute(each, description) : undefined;
    if (reason === undefined) faults.push(`${each.operation}: ${each.said.slice(0, 1500)}`);
    else refuted.set(reason, (refuted.get(reason) ?? 0) + 1);
  }
  return { faults, refuted };
}

/** Returns why the claim does not hold, or `undefined`. */
function refute(failed: FailedCase, description: unknown): string | undefined {
  if (textOfForms.test(failed.said)) return "in a form, a number is text";
  if (eventClaim.test(failed.said)) return "events are described by x-event-data";
  return refuteRejection(failed) ?? refuteMissing(failed) ?? refutePattern(failed, description);
}

function refuteRejection({ operation, said }: FailedCase): string | undefined {
  const [, status, error = ""] = rejectionClaim.exec(said) ?? [];
  return refusals.find((each) => each.status === status && each.says.test(error) && each.at.test(operation))?.reason;
}

function refuteMissing({ said }: FailedCase): string | undefined {
  const [, field] = missingClaim.exec(said) ?? [];
  if (field === undefined || !said.includes(`form-data; name="${field}"`)) return undefined;
  return "the form has the field that it is said to lack";
}

function refutePattern(failed: FailedCase, description: unknown): string | undefined {
  const [, pointer, value] = patternClaim.exec(failed.said) ?? [];
  if (pointer === undefined || value === undefined) return undefined;
  const pattern = child(schemaOf(failed, pointer, description), "pattern");
  // The tool appends a "*" and supposes that no pattern allows it.
  if (typeof pattern !== "string" || !new RegExp(pattern, "u").test(value)) return undefined;
  return "the value that is said to violate a pattern matches it";
}

/** Returns the schema at a pointer of the tool, which begins at the request body and names the references that it follows. */
function schemaOf({ operation, said }: FailedCase, pointer: string, description: unknown): unknown {
  const [method = "", path = ""] = operation.split(" ");
  const type = /'Content-Type: ([^;']+)/.exec(said)?.[1] ?? "";
  const follow = (node: unknown): unknown => {
    const reference = child(node, "$ref");
    if (typeof reference !== "string") return node;
    return follow(reference.split("/").slice(1).reduce(child, description));
  };
  const start = ["paths", path, method.toLowerCase(), "requestBody", "content", type, "schema"];
  const steps = pointer
    .replaceAll(/\/\$ref\/[^/]+/g, "")
    .split("/")
    .slice(1);
  return [...start, ...steps].reduce((node: unknown, step) => follow(child(node, step)), description);
}

function child(node: unknown, key: string): unknown {
  return typeof node === "object" && node !== null && Object.hasOwn(node, key)
    ? (node as Record<string, unknown>)[key]
    : undefined;
}
