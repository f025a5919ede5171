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

/** A report with one valid request that was rejected. */
function rejectionOf(operation: string, status: number, error: string): string {
  return reportOf({ operation, findings: ["ST202 Schema-valid request rejected"] })
    .replace(/ {4}Invalid [^]*?Invalid .*\n/, "    Valid data should have been accepted\n")
    .replace(/\[200\] OK:\n\n.*/, `[${status}] Status:\n\n    \`{"error":{${error},"requestId":"1"}}\``);
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

  it.each([
    ["POST /agents/a/run", 422, '"runId":"1","code":"idempotency_mismatch","message":"m"'],
    ["POST /agents/a/stream", 410, '"code":"gone","message":"m"'],
    ["GET /runs/{runId}/events", 410, '"code":"gone","message":"m"'],
    [
      "POST /agents/a/stream",
      400,
      '"code":"invalid_request","message":"Last-Event-ID needs the Idempotency-Key of its run."',
    ],
    ["POST /agui/agents/a", 422, '"runId":"1","code":"idempotency_mismatch","message":"m"'],
    ["POST /agui/teams/a", 400, '"code":"invalid_request","message":"messages[10].content must not be empty."'],
    ["POST /agui/agents/a", 400, '"code":"invalid_request","message":"messages[0].content[1].text must be a string."'],
    ["POST /agui/agents/a", 400, '"field":"tools[0]","code":"invalid_request","message":"tools[0] must be a tool."'],
    ["POST /agui/agents/a", 400, '"code":"invalid_request","message":"tools[12].name must differ."'],
    [
      "POST /agui/workflows/a",
      400,
      '"code":"invalid_request","message":"The input does not fit the workflow\'s schema. input.city: is missing"',
    ],
  ])("refutes that %s must take valid data which depends on a stored run: %i", (operation, status, error) => {
    const { faults, refuted } = judgeReport(rejectionOf(operation, status, error), description);

    expect([faults, [...refuted.values()]]).toEqual([[], [1]]);
  });

  it.each([
    ["POST /agents/a/run", 422, '"code":"limit_exceeded","message":"m"'],
    ["GET /sessions", 410, '"code":"gone","message":"m"'],
    ["POST /agents/a/stream", 500, '"code":"gone","message":"m"'],
    ["POST /agents/a/stream", 400, '"code":"invalid_request","message":"m"'],
    [
      "POST /agents/a/run",
      400,
      '"code":"invalid_request","message":"Last-Event-ID needs the Idempotency-Key of its run."',
    ],
    ["POST /agui/agents/a", 400, '"code":"invalid_request","message":"messages must have one of the user."'],
    ["POST /agui/agents/a", 400, '"code":"invalid_request","message":"messages[0].role must be a string."'],
    ["POST /agui/agents/a", 400, '"code":"invalid_request","message":"tools must be at most 128."'],
    ["POST /agents/a/run", 400, '"code":"invalid_request","message":"messages[0].content must not be empty."'],
  ])("keeps another rejection of valid data as a fault: %s %i %s", (operation, status, error) => {
    expect(judgeReport(rejectionOf(operation, status, error), description).faults).toHaveLength(1);
  });

  it("refutes that an event must be a string, where x-event-data describes it", () => {
    const claim = 'Event #0: {"data":"{}","id":"1.0"} is not of type "string"\n\n    "x-event-data": {';
    const report = reportOf({ findings: ["ST108 SSE event violates schema"] }).replace(
      /Invalid data[^]*?(?=\n\n\[)/,
      claim,
    );

    expect(judgeReport(report, description).faults).toEqual([]);
    expect(judgeReport(report.replace("x-event-data", "type"), description).faults).toHaveLength(1);
  });

  it("refutes that a form lacks a field which it has", () => {
    const claims =
      "Invalid component:\n      - query: violates `additionalProperties`\n      - body: violates `required` at ";
    const report = reportOf({}).replace(/Invalid component.*/, `${claims}/allOf/0/anyOf/1/properties/files`);

    expect(judgeReport(report.replace("-d x", '-d form-data; name="files"'), description).faults).toEqual([]);
    expect(judgeReport(report, description).faults).toHaveLength(1);
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
