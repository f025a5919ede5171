import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import { startVendor, stubNoCloud } from "../test/vendor.ts";
import { bedrock } from "./index.ts";
import type { AwsCredentials } from "./index.ts";

type Exchange = FakeVendor["exchanges"][number];
type Data = string | Uint8Array;

/** The hash function of AWS's signer, whose own one is another package. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash | typeof createHmac>;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Data);
  }

  update(data: unknown): void {
    this.#hash.update(data as Data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

const credentials: AwsCredentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "secret/+key",
  sessionToken: "token==",
};
const ask = [{ role: "user" as const, content: "Größe 😀 ' * ( ) !" }];

/** Returns the signature that AWS's own signer gives a received request. */
async function signatureOf(
  { request }: Exchange,
  identity: AwsCredentials,
  region: string,
): Promise<string | undefined> {
  const { authorization = "", "x-amz-date": date = "" } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
  const time = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const { sessionToken, ...keys } = identity;
  const own = { ...keys, ...(sessionToken !== undefined && { sessionToken }) };
  const signer = new SignatureV4({ service: "bedrock", region, credentials: own, sha256: Sha256 });
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: "http:",
      hostname: "127.0.0.1",
      path: request.url,
      query: {},
      headers: Object.fromEntries(names.map((name) => [name, request.headers[name] ?? ""])),
      body: JSON.stringify(request.body),
    },
    { signingDate: new Date(time) },
  );
  return signed.headers["authorization"];
}

describe("a signed request", () => {
  it.each([
    ["us.amazon.nova-pro-v1:0", credentials],
    ["us.amazon.nova-pro-v1:0", { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" }],
    ["arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3", credentials],
    ["a!b'c(d)e*f", credentials],
  ])("has the signature of AWS's own signer: %s", async (modelId, identity) => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.", "Yes.");
    const model = connect(modelId, { credentials: identity, region: "eu-north-1" });
    await model.generate(ask);
    await Array.fromAsync(model.stream(ask));

    expect(vendor.exchanges).toHaveLength(2);
    for (const exchange of vendor.exchanges) {
      const { authorization } = exchange.request.headers;
      expect(authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/bedrock\/aws4_request/,
      );
      expect(authorization).toBe(await signatureOf(exchange, identity, "eu-north-1"));
      expect(exchange.request.headers["x-amz-security-token"]).toBe(identity.sessionToken);
    }
  });

  it("has it also behind a path, and for a body that is written in pieces", async () => {
    const { vendor } = await startVendor();
    const image = Buffer.alloc(1_500_000, "image").toString("base64");
    vendor.respond(() => ({ answer: "Yes." }));
    const model = bedrock("amazon.nova-pro-v1:0", {
      baseURL: `${vendor.url}/gate way/x`,
      region: "us-east-1",
      credentials,
    });
    const content = [{ type: "image" as const, data: image, mimeType: "image/png" }];
    await model.generate([{ role: "user", content }]).catch(() => undefined);

    const [exchange] = vendor.exchanges;
    expect(exchange?.request.url).toBe("/gate%20way/x/model/amazon.nova-pro-v1%3A0/converse");
    expect(JSON.stringify(exchange?.request.body)).toContain(image);
    expect(exchange?.request.headers["authorization"]).toBe(
      exchange && (await signatureOf(exchange, credentials, "us-east-1")),
    );
  });

  it("keeps a header authorization of the user", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect("amazon.nova-pro-v1:0", { credentials, headers: { Authorization: "Gateway 1" } }).generate(ask);

    expect(vendor.exchanges[0]?.request.headers).toMatchObject({ authorization: "Gateway 1" });
    expect(vendor.exchanges[0]?.request.headers).not.toHaveProperty("x-amz-date");
  });

  it("shows neither the secret nor the token in an error", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ failure: { status: 400, message: "secret/+key and token== are wrong." } });
    const error: unknown = await connect("m", { credentials })
      .generate(ask)
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "model_failed", status: 400 });
    expect(String((error as Error).cause)).not.toMatch(/secret\/\+key|token==/);
  });
});

describe("credentials", () => {
  it("come from a function before each call", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.", "Yes.");
    let count = 0;
    const model = connect("m", { credentials: async () => ({ ...credentials, accessKeyId: `id-${++count}` }) });
    await model.generate(ask);
    await model.generate(ask);

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["id-1", "id-2"]);
  });

  it.each<[string, () => never, string]>([
    [
      "fails",
      () => {
        throw new Error("no role");
      },
      "model_failed",
    ],
    ["returns no credentials", () => ({ accessKeyId: "a" }) as never, "invalid_config"],
    [
      "returns ones that no header can hold",
      () => ({ accessKeyId: "a b", secretAccessKey: "c" }) as never,
      "invalid_config",
    ],
  ])("fail the call if their function %s", async (_, source, code) => {
    const { vendor, connect } = await startVendor();

    await expect(connect("m", { credentials: source }).generate(ask)).rejects.toMatchObject({ code });
    expect(vendor.exchanges).toEqual([]);
  });

  it("come from the variables, after the API key, and need both", async () => {
    stubNoCloud({ AWS_ACCESS_KEY_ID: "id-1", AWS_SECRET_ACCESS_KEY: "secret-1", AWS_SESSION_TOKEN: "token-1" });
    const { vendor, connect } = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const model = connect("m", { useEnvironmentKey: true });
    await model.generate(ask);
    process.env["AWS_BEARER_TOKEN_BEDROCK"] = "key-1";
    await model.generate(ask);
    await connect("m", { useEnvironmentKey: true, credentials }).generate(ask);
    process.env["AWS_BEARER_TOKEN_BEDROCK"] = "";
    process.env["AWS_SECRET_ACCESS_KEY"] = "";

    expect(vendor.exchanges.map(({ key }) => key)).toEqual(["id-1", "key-1", "AKIDEXAMPLE"]);
    expect(vendor.exchanges[0]?.request.headers["x-amz-security-token"]).toBe("token-1");
    await expect(model.generate(ask)).rejects.toMatchObject({ code: "unauthorized", fields: { vendor: "bedrock" } });
  });

  it("come from AWS's credential chain where nothing else has any", async () => {
    const { writeFile, mkdtemp, rm } = await import("node:fs/promises");
    const folder = await mkdtemp("/tmp/bedrock-");
    onTestFinished(async () => await rm(folder, { recursive: true }));
    const file = `${folder}/credentials`;
    await writeFile(file, "[default]\naws_access_key_id = id-of-profile\naws_secret_access_key = secret-of-profile\n");
    stubNoCloud({ AWS_SHARED_CREDENTIALS_FILE: file });
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect("m", { useEnvironmentKey: true }).generate(ask);

    expect(vendor.exchanges[0]?.key).toBe("id-of-profile");
  });

  it("are not looked for once the signal has aborted", async () => {
    stubNoCloud();
    const { vendor, connect } = await startVendor();
    const signal = AbortSignal.abort();

    await expect(connect("m", { useEnvironmentKey: true }).generate(ask, { signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(vendor.exchanges).toEqual([]);
  });
});
