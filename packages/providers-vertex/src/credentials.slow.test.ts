import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { inspect } from "node:util";
import { sharedHttpPool } from "@troupe/core/provider";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
import type { AuthClient, ServiceAccount } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const place = { project: "troupe-1", location: "global" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function createAccount(): ServiceAccount {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    client_email: "agent@troupe-1.iam.gserviceaccount.com",
    private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

type Reply = { status?: number; body?: object; hangs?: boolean };

/** Stands in for where Google gives tokens, whose address is fixed; everything else goes its way. */
async function startTokens({
  status = 200,
  body = { access_token: "token-1", expires_in: 3600 },
  hangs = false,
}: Reply) {
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(String(Buffer.concat((await request.toArray()) as Buffer[])));
    if (!hangs) response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const pool = sharedHttpPool();
  const send = pool.send.bind(pool);
  vi.spyOn(pool, "send").mockImplementation((url, init) => {
    const isToken = String(url) === "https://oauth2.googleapis.com/token";
    return send(isToken ? `http://127.0.0.1:${port}` : url, init);
  });
  return asked;
}

describe("a service account", () => {
  it("signs for a token, which serves all calls until it ends", async () => {
    const credentials = createAccount();
    const asked = await startTokens({});
    const { vendor, connect } = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const model = connect("gemini-3.8-flash", { ...place, credentials });

    await Promise.all(Array.from({ length: 10 }, () => model.generate(ask)));
    await gather(model.stream(ask));

    expect(asked).toHaveLength(1);
    const assertion = new URLSearchParams(asked[0]).get("assertion") ?? "";
    const [header = "", claims = "", signature = ""] = assertion.split(".");
    expect(JSON.parse(String(Buffer.from(claims, "base64url")))).toMatchObject({
      iss: credentials.client_email,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    const key = createPublicKey(credentials.private_key);
    expect(verify("RSA-SHA256", Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
    expect(new Set(vendor.exchanges.map(({ request }) => request.headers["authorization"]))).toEqual(
      new Set(["Bearer token-1"]),
    );
    expect(vendor.exchanges).toHaveLength(11);
  });

  it.each([
    ["refused", { status: 400, body: { error: "invalid_grant", error_description: "canary" } }, { status: 401 }],
    ["not given by a service that fails", { status: 503, body: {} }, { status: 503 }],
  ])(
    "a service account whose token is %s fails as the model does, and says nothing of it",
    async (_, reply, failure) => {
      await startTokens(reply);
      const { vendor, connect } = await startVendor();
      const model = connect("gemini-3.8-flash", { ...place, credentials: createAccount() });

      const error = await model.generate(ask).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ name: "ModelError", code: "model_failed", providerId: "vertex", ...failure });
      expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/canary|PRIVATE|assertion/);
      expect(vendor.exchanges).toEqual([]);
    },
  );

  it("is not waited for when the signal aborts", async () => {
    const asked = await startTokens({ hangs: true });
    const { connect } = await startVendor();
    const model = connect("gemini-3.8-flash", { ...place, credentials: createAccount() });
    const abort = new AbortController();

    const asking = gather(model.stream(ask, { signal: abort.signal }));
    await expect.poll(() => asked.length).toBe(1);
    abort.abort();
    const { error } = await asking;

    expect(error).toMatchObject({ code: "cancelled" });
  });
});

describe("without credentials, Google's own", () => {
  it("are read from the file that the environment names, looked for again where there were none", async () => {
    const folder = await mkdtemp(`${tmpdir()}/vertex-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = `${folder}/key.json`;
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    await startTokens({});
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const model = connect("gemini-3.8-flash", place);

    await expect(model.generate(ask)).rejects.toMatchObject({
      code: "unauthorized",
      message:
        "vertex found no credentials: pass credentials or an API key, or set up Application Default Credentials.",
      fields: { vendor: "vertex" },
    });
    expect(vendor.exchanges).toEqual([]);
    await writeFile(file, JSON.stringify({ type: "service_account", ...createAccount() }));
    await model.generate(ask);

    expect(vendor.exchanges[0]?.request.headers["authorization"]).toBe("Bearer token-1");
  });
});

describe("an auth client", () => {
  it("proves who asks, and says who pays", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const getRequestHeaders = vi
      .fn<AuthClient["getRequestHeaders"]>()
      .mockResolvedValue({ Authorization: "Bearer t", "x-goog-user-project": "payer" });

    await connect("gemini-3.8-flash", { ...place, credentials: { getRequestHeaders } }).generate(ask);

    expect(vendor.exchanges[0]?.request.headers).toMatchObject({
      authorization: "Bearer t",
      "x-goog-user-project": "payer",
    });
    expect(getRequestHeaders.mock.calls).toEqual([[`${vendor.url}/v1beta1/projects/troupe-1/locations/global`]]);
  });

  it("causes a failure of the model when it fails", async () => {
    const { connect } = await startVendor();
    const getRequestHeaders = async () => {
      throw new Error("no token today", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    };

    const failed = connect("gemini-3.8-flash", { ...place, credentials: { getRequestHeaders } }).generate(ask);

    await expect(failed).rejects.toMatchObject({ name: "ModelError", networkCode: "ECONNRESET" });
  });
});
