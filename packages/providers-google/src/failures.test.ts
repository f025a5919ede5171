import { badGateway } from "@troupe-internal/vendor-fakes";
import type { PlannedReply } from "@troupe-internal/vendor-fakes";
import { describe, expect, it } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

function refusal(status: number, body: unknown, headers: Record<string, string> = {}): PlannedReply {
  return {
    raw: { status, headers: { "content-type": "application/json", ...headers }, frames: [JSON.stringify(body)] },
  };
}
const wrongKey = (reason: string) => ({
  error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details: [{ reason }] },
});

describe("a failure of the vendor's", () => {
  it.each<[string, PlannedReply, object]>([
    [
      "429 with a wait among its details",
      { failure: { status: 429, retryAfterSeconds: 3 } },
      { code: "rate_limited", status: 429, vendorCode: "RESOURCE_EXHAUSTED", retryAfterMs: 3000 },
    ],
    [
      "429 with a wait among its headers",
      refusal(429, { error: { code: 429, details: [{ retryDelay: "9s" }] } }, { "retry-after": "2" }),
      { code: "rate_limited", retryAfterMs: 2000 },
    ],
    [
      "a fraction of a second to wait",
      refusal(503, { error: { status: "UNAVAILABLE", details: [null, {}, { retryDelay: "34.4s" }] } }),
      { code: "model_failed", status: 503, vendorCode: "UNAVAILABLE", retryAfterMs: 34_400 },
    ],
    [
      "a wait that is none",
      refusal(503, { error: { details: [{ retryDelay: "soon" }] } }),
      { status: 503, retryAfterMs: undefined },
    ],
    [
      "a list with one error",
      refusal(404, [{ error: { code: 404, status: "NOT_FOUND" } }]),
      { vendorCode: "NOT_FOUND" },
    ],
    ["an HTML page of 502", { raw: badGateway }, { code: "model_failed", status: 502, vendorCode: undefined }],
    ["a body of null", refusal(500, null), { code: "model_failed", status: 500 }],
    ["a body without an error", refusal(500, { oops: 1 }), { code: "model_failed", status: 500 }],
    ["504", { failure: { status: 504 } }, { code: "timeout", status: 504, vendorCode: "DEADLINE_EXCEEDED" }],
  ])("is reported for %s, whole and streamed", async (_, planned, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan(planned, planned);

    const { error } = await gather(connect().stream(ask));

    expect(error).toMatchObject({ name: "ModelError", providerId: "google", ...failure });
    await expect(connect().generate(ask)).rejects.toMatchObject({ name: "ModelError", ...failure });
    vendor.assertDone();
  });

  it.each(["API_KEY_INVALID", "API_KEY_EXPIRED"])("is the key's fault for %s with status 400", async (reason) => {
    const { vendor, connect } = await startVendor();
    const planned = refusal(400, wrongKey(reason));
    vendor.plan(planned, planned);

    const callers = connect().generate(ask, { apiKey: "key-of-call" });
    await expect(callers).rejects.toMatchObject({ code: "unauthorized", status: 401, vendorCode: reason });
    await expect(connect().generate(ask)).rejects.toMatchObject({ code: "model_failed", status: 401 });
  });

  it("keeps its status when the rest of it is cut", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ failure: { status: 429 }, delivery: { fault: { kind: "cut", at: { afterBytes: 5 } } } });

    await expect(connect().generate(ask)).rejects.toMatchObject({ code: "rate_limited", status: 429 });
  });

  it("is the request's fault for any other reason with status 400", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan(refusal(400, wrongKey("FIELD_INVALID")));

    const failed = connect().generate(ask, { apiKey: "key-of-call" });

    await expect(failed).rejects.toMatchObject({ code: "model_failed", status: 400, vendorCode: "INVALID_ARGUMENT" });
  });

  it.each([
    [
      { code: 429, status: "RESOURCE_EXHAUSTED" },
      { code: "rate_limited", status: 429 },
    ],
    [{ status: "UNAUTHENTICATED" }, { status: 401 }],
    [{ code: 14, status: "UNAVAILABLE" }, { status: 503 }],
    [{ status: "constructor" }, { status: 500 }],
    [{}, { status: 500, vendorCode: undefined }],
  ])("within a stream, %j, has the status that it stands for", async (error, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames: [`data: ${JSON.stringify({ error })}\n\n`] } });

    expect((await gather(connect().stream(ask))).error).toMatchObject({ name: "ModelError", ...failure });
  });
});
