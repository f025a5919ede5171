/** A report of schemathesis as we judge it: the faults, and the number of claims that do not hold, by reason. */
export type JudgedReport = { readonly faults: readonly string[]; readonly refuted: ReadonlyMap<string, number> };

/** A case that failed: the operation that was asked, as method and path, and what the tool says of it. */
type FailedCase = { readonly operation: string; readonly said: string };

/** In a form every field is text: the number that the tool means arrives as a string, which the description allows. */
const textOfForms = /\(was string, became [^]*Content-Type: multipart\/form-data/;

/** The claim that a string in a body violates a pattern: the place of its schema, and the string. */
const patternClaim =
  /Invalid component: in body - violates `pattern` at (\/\S+) \((?:was "[^]*?", )?became "([^]*?)"\)\n\s*\n\s*\[\d{3}\] /;

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
function refute({ operation, said }: FailedCase, description: unknown): string | undefined {
  if (textOfForms.test(said)) return "in a form, a number is text";
  const [, pointer, value] = patternClaim.exec(said) ?? [];
  if (pointer === undefined || value === undefined) return undefined;
  const pattern = child(schemaOf({ operation, said }, pointer, description), "pattern");
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
