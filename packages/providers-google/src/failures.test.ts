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
  it.each(["API_KEY_INVALID", "API_KEY_EXPIRED"])("is the key's fault for %s with status 400", async (reason) => {
    const { vendor, connect } = await startVendor();
    const planned = refusal(400, wrongKey(reason));
    vendor.plan(planned, planned);

    const callers = connect().generate(ask, { apiKey: "key-of-call" });
    await expect(callers).rejects.toMatchObject({ code: "unauthorized", status: 401, vendorCode: reason });
    await expect(connect().generate(ask)).rejects.toMatchObject({ code: "model_failed", status: 401 });
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
  ])("a failure within a stream, %j, has the status that it stands for", async (error, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames: [`data: ${JSON.stringify({ error })}\n\n`] } });

    expect((await gather(connect().stream(ask))).error).toMatchObject({ name: "ModelError", ...failure });
  });
});
