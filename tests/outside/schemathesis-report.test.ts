import { describe, expect, it } from "vitest";
import { judgeReport } from "./schemathesis-report.ts";

const description = {
  paths: {
    "/agents/a/run": {
      post: {
        requestBody: {
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/RunRequest" } },
            "multipart/form-data": {
              schema: { type: "object", properties: { apiKey: { $ref: "#/components/schemas/Key" } } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      RunRequest: { type: "object", properties: { apiKey: { type: "string", pattern: "^[!-~]{1,4}$" } } },
      Key: { type: "string", pattern: "^[!-~]{1,4}$" },
    },
  },
};

type Claim = { pointer?: string; value?: string; type?: string; findings?: readonly string[]; operation?: string };

/** A report with one failed case, as the tool prints it. */
function reportOf(claim: Claim): string {
  const { pointer = "/properties/apiKey", value = "Z*", operation = "POST /agents/a/run" } = claim;
  const { type = "multipart/form-data; boundary=1", findings = ["ST201 Schema-violating request accepted"] } = claim;
  return `
=================================== FAILURES ===================================
${"_".repeat(20)} ${operation} ${"_".repeat(20)}
1. Test Case ID: 8BPDBf

${findings.map((finding) => `- ${finding}\n`).join("\n")}
    Invalid data should have been rejected
    Expected: 400, 401
    Invalid component: in body - violates \`pattern\` at ${pointer} (was "Z", became "${value}")

[200] OK:

    \`{"text":"Hello."}\`

Reproduce with:

    curl -X POST -H 'Content-Type: ${type}' -d x http://127.0.0.1/agents/a/run

=================================== SUMMARY ====================================
`;
}

const reason = "the value that is said to violate a pattern matches it";

describe("judging a report of schemathesis", () => {
  it.each([
    ["in a form", {}],
    ["behind a reference of the body", { pointer: "/$ref/schema7/properties/apiKey", type: "application/json" }],
  ])("refutes a claim about a pattern that the value matches, %s", (_, claim) => {
    expect(judgeReport(reportOf(claim), description)).toEqual({ faults: [], refuted: new Map([[reason, 1]]) });
  });

  it.each<[string, Claim]>([
    ["a value that does violate the pattern", { value: "Zzzz*" }],
    ["an unknown place of the schema", { pointer: "/properties/input" }],
    ["an unknown body", { type: "text/plain" }],
    ["an unknown operation", { operation: "POST /agents/b/run" }],
    ["a second finding", { findings: ["ST201 Schema-violating request accepted", "ST301 Server error"] }],
  ])("keeps %s as a fault", (_, claim) => {
    const { faults, refuted } = judgeReport(reportOf(claim), description);

    expect(faults).toEqual([expect.stringContaining("8BPDBf")]);
    expect(refuted).toEqual(new Map());
  });

  it("refutes that a form must not hold a number, since it is text there", () => {
    const report = reportOf({}).replace(
      /violates.*/,
      "violates `type` at /properties/userId (was string, became integer)",
    );

    expect(judgeReport(report, description).refuted).toEqual(new Map([["in a form, a number is text", 1]]));
    expect(judgeReport(report.replace("multipart/form-data", "application/json"), description).faults).toHaveLength(1);
  });
});
