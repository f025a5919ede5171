import assert from "node:assert/strict";
import { inspect } from "node:util";
import { isRetryable } from "@troupe/core";
import { badGateway } from "../planned-reply.ts";
import type { PlannedReply } from "../planned-reply.ts";
import type { FailureCase, ProviderSubject } from "./provider-subject.ts";
import { assertHas } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial } from "./provider-trial.ts";

const longText = Array.from({ length: 400 }, (_, index) => `word${index} `).join("");
const broken = { code: "model_failed", networkCode: "ECONNRESET" };

type Failure = FailureCase & { retryable: boolean };

/** Failures that every provider reports in the same way. */
function commonFailures({ vendorCodes = {}, withoutErrorHeaders = false }: ProviderSubject): Record<string, Failure> {
  const failed = (status: number): Failure => ({
    reply: { failure: { status } },
    error: {
      code: "model_failed",
      status,
      ...(vendorCodes[status] !== undefined && { vendorCode: vendorCodes[status] }),
    },
    retryable: status >= 500,
  });
  return {
    "status 400": failed(400),
    "status 500": failed(500),
    "status 503": failed(503),
    "status 529": failed(529),
    "429 with a time to wait": {
      reply: { failure: { status: 429, retryAfterSeconds: 3 } },
      error: {
        code: "rate_limited",
        status: 429,
        retryAfterMs: withoutErrorHeaders ? undefined : 3000,
        ...(vendorCodes[429] !== undefined && { vendorCode: vendorCodes[429] }),
      },
      retryable: true,
    },
    "an HTML page of 502": {
      reply: { raw: badGateway },
      error: { code: "model_failed", status: 502, vendorCode: undefined },
      retryable: true,
    },
    "a reset before the answer": faulty("reset", "before-headers"),
    "a reset within the answer": faulty("reset", { afterBytes: 20 }),
    "a connection closed within the answer": faulty("cut", { afterBytes: 20 }),
  };
}

function faulty(kind: "cut" | "reset", at: "before-headers" | { afterBytes: number }): Failure {
  return { reply: { answer: longText, delivery: { fault: { kind, at } } }, error: broken, retryable: true };
}

/** Failures whose body breaks off after their status. */
const brokenBodies: Readonly<Record<string, FailureCase>> = {
  "an HTML page that is reset": {
    reply: { raw: badGateway, delivery: { fault: { kind: "reset", at: { afterBytes: 5 } } } },
    error: { code: "model_failed", status: 502 },
  },
  "a rate limit that is cut": {
    reply: { failure: { status: 429 }, delivery: { fault: { kind: "cut", at: { afterBytes: 5 } } } },
    error: { code: "rate_limited", status: 429 },
  },
};

/** Bodies with status 200 that are not answers. */
const noAnswers: Readonly<Record<string, string>> = {
  nothing: "",
  null: "null",
  "an array": "[]",
  "an empty object": "{}",
  "half of a JSON document": '{"',
  "a page of HTML": "<html><body>Login</body></html>",
};

/** Returns the cases in which the vendor, or a proxy before it, fails. */
export function failureCases(subject: ProviderSubject): ProviderCases {
  return {
    "reports each failure of its vendor, streamed and whole": async (trial) => {
      const checks = Object.entries(commonFailures(subject)).map(async ([what, { retryable, ...failure }]) => {
        for (const error of await reports(trial, what, failure)) assert.equal(isRetryable(error), retryable, what);
      });
      await Promise.all(checks);
    },
    "keeps the status of a failure whose body breaks off": async (trial) => {
      const checks = Object.entries(brokenBodies);
      await Promise.all(checks.map(async ([what, failure]) => await reports(trial, what, failure)));
    },
    "reports each failure in its vendor's own format, streamed and whole": async (trial) => {
      const checks = Object.entries(subject.failures ?? {});
      await Promise.all(checks.map(async ([what, failure]) => await reports(trial, what, failure)));
    },
    "fails as the vendor's failure on an answer that is none": async (trial) => {
      const checks = Object.entries(noAnswers).map(async ([what, text]) => {
        const reply = { raw: { status: 200, headers: { "content-type": "application/json" }, frames: [text] } };
        await reports(trial, what, { reply, error: { code: "model_failed" } });
      });
      await Promise.all(checks);
    },
    ...(subject.endsLongEvents !== false && { "gives up on an event without an end": givesUpOnLongEvent }),
    "shows nothing of the request in an error, nor the vendor's words in its message": async (trial) => {
      const reply: PlannedReply = { failure: { status: 400, message: "Key sk-secret-key-1 asked secretly." } };
      for (const error of await trial.failures(reply, { options: { apiKey: "sk-secret-key-1" } })) {
        const { message, fields } = error as Error & { fields?: unknown };
        assert.doesNotMatch(inspect([message, fields], { depth: 10 }), /secretly/);
        assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /sk-secret-key-1|Question \d/);
      }
    },
  };
}

async function givesUpOnLongEvent(trial: ProviderTrial): Promise<void> {
  const { eventPrefix = "data: " } = trial.subject;
  const frames = [`${eventPrefix}"`, ...Array.from({ length: 40 }, () => "x".repeat(1_000_000))];
  const { error, exchange } = await trial.stream({ raw: { status: 200, headers: {}, frames } });
  assertHas(error, { name: "ModelError", code: "model_failed" }, "the error");
  await trial.until(() => exchange?.end === "abandoned", "the vendor's request is abandoned");
}

async function reports(
  trial: ProviderTrial,
  what: string,
  { reply, error: expected }: FailureCase,
): Promise<unknown[]> {
  const errors = await trial.failures(reply).catch((cause: unknown) => {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  const { providerId } = trial.connect();
  for (const error of errors)
    assertHas(error, { name: "ModelError", providerId, fields: { vendor: providerId }, ...expected }, what);
  return errors;
}
