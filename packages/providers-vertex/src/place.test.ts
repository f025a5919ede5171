import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { authClient, stubNoCloud } from "../test/vendor.ts";
import { vertex } from "./index.ts";
import type { VertexOptions } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

/** The option `fetch`, as it is called: with the URL as a string. */
type Send = (url: string, init?: RequestInit) => Promise<Response>;

afterEach(() => void vi.unstubAllEnvs());

describe("the place", () => {
  const models = "publishers/google/models/gemini-3.8-flash:generateContent";
  /** Returns the URL without its version, and the headers, of a call. */
  const placeOf = async (options: VertexOptions, modelId = "gemini-3.8-flash") => {
    const sent = vi.fn<Send>().mockRejectedValue(new Error("not sent"));
    const failed: unknown = await vertex(modelId, { ...options, fetch: sent })
      .generate(ask)
      .catch((thrown: unknown) => thrown);
    if (sent.mock.calls.length === 0) throw failed;
    return (sent.mock.calls[0]?.[0] ?? "").replace("/v1beta1", "").replace(`/${models}`, "");
  };
  const account = () => ({
    client_email: "agent@troupe-1.iam.gserviceaccount.com",
    private_key: String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })),
  });
  const credentials = authClient();

  it.each<[string, VertexOptions, Record<string, string>, string]>([
    ["a project alone", { project: "one", credentials }, {}, "aiplatform.googleapis.com/projects/one/locations/global"],
    [
      "a project, and the location of the environment",
      { project: "one", credentials },
      { GOOGLE_CLOUD_LOCATION: "us-east1" },
      "us-east1-aiplatform.googleapis.com/projects/one/locations/us-east1",
    ],
    [
      "a location, and the project of the environment",
      { location: "eu", credentials },
      { GOOGLE_CLOUD_PROJECT: "env-1", GOOGLE_CLOUD_LOCATION: "us-east1" },
      "aiplatform.eu.rep.googleapis.com/projects/env-1/locations/eu",
    ],
    [
      "credentials that name their project, before that of the environment",
      { credentials: { ...credentials, projectId: "its-own" } },
      { GOOGLE_CLOUD_PROJECT: "env-1" },
      "aiplatform.googleapis.com/projects/its-own/locations/global",
    ],
    [
      "a project, before that of the credentials",
      { project: "one", credentials: { ...credentials, projectId: "its-own" } },
      {},
      "aiplatform.googleapis.com/projects/one/locations/global",
    ],
  ])("is that of %s [vertex.place]", async (...[, options, environment, url]) => {
    stubNoCloud(environment);

    expect(await placeOf(options)).toBe(`https://${url}`);
  });

  it("is read anew at each call [vertex.place]", async () => {
    stubNoCloud({ GOOGLE_CLOUD_PROJECT: "first" });
    const sent = vi.fn<Send>().mockRejectedValue(new Error("not sent"));
    const model = vertex("gemini-3.8-flash", { credentials, fetch: sent });

    await model.generate(ask).catch(() => undefined);
    stubNoCloud({ GOOGLE_CLOUD_PROJECT: "second", GOOGLE_CLOUD_LOCATION: "us-east1" });
    await model.generate(ask).catch(() => undefined);

    expect(sent.mock.calls.map(([url]) => url.replace(/.*(projects\/\w+\/locations\/[^/]+).*/, "$1"))).toEqual([
      "projects/first/locations/global",
      "projects/second/locations/us-east1",
    ]);
  });

  it("is that of a service account [vertex.place]", async () => {
    stubNoCloud({ GOOGLE_CLOUD_PROJECT: "env-1" });
    const options = { credentials: { ...account(), project_id: "of-account" }, apiKey: undefined };
    const paths: string[] = [];
    const openTo: Send = async (url) => {
      paths.push(url);
      return new Response("{}", { status: 503 });
    };

    await vertex("gemini-3.8-flash", { ...options, fetch: openTo })
      .generate(ask, { apiKey: "key" })
      .catch(() => undefined);

    expect(paths[0]).toContain("/projects/of-account/locations/global/");
  });

  it("is on Google Cloud that of its own credentials, without any argument [vertex.place]", async () => {
    const folder = await mkdtemp(`${tmpdir()}/vertex-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = { ...account(), private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
    await writeFile(`${folder}/key.json`, JSON.stringify({ type: "service_account", project_id: "found-1", ...key }));
    stubNoCloud({ GOOGLE_APPLICATION_CREDENTIALS: `${folder}/key.json` });
    const asked: string[] = [];
    const send: Send = async (url, init) => {
      asked.push(url);
      if (url.includes("oauth2")) return Response.json({ access_token: "token-7", expires_in: 3600 });
      expect(new Headers(init?.headers).get("authorization")).toBe("Bearer token-7");
      return Response.json({ candidates: [{ content: { parts: [{ text: "Yes." }] }, finishReason: "STOP" }] });
    };

    const model = vertex("gemini-3.8-flash", { fetch: send });
    expect((await model.generate(ask)).text).toBe("Yes.");
    expect((await model.generate(ask)).text).toBe("Yes.");

    const address = `https://aiplatform.googleapis.com/v1beta1/projects/found-1/locations/global/${models}`;
    expect(asked).toEqual(["https://oauth2.googleapis.com/token", address, address]);
  });

  it("is the project of the environment before its key, and the location of a model's own name [vertex.place]", async () => {
    stubNoCloud({ GOOGLE_API_KEY: "of-env", GOOGLE_CLOUD_PROJECT: "env-1" });
    const endpoint = "projects/other/locations/us-east1/endpoints/7";

    await expect(placeOf({})).rejects.toMatchObject({ code: "unauthorized" });
    expect(await placeOf({ credentials }, endpoint)).toBe(
      `https://us-east1-aiplatform.googleapis.com/${endpoint}:generateContent`,
    );
  });

  it.each([
    ["GOOGLE_CLOUD_PROJECT", "evil/../x"],
    ["GOOGLE_CLOUD_LOCATION", "evil.example/#"],
  ])("is refused where %s is no id, without showing it [vertex.place]", async (name, value) => {
    stubNoCloud({ GOOGLE_CLOUD_PROJECT: "env-1", [name]: value });
    const failed = placeOf({ credentials });

    await expect(failed).rejects.toMatchObject({ code: "invalid_config", message: expect.stringContaining(name) });
    await expect(failed).rejects.toMatchObject({ message: expect.not.stringContaining("evil") });
  });

  it("must be known where credentials name none [vertex.place]", async () => {
    stubNoCloud();

    await expect(placeOf({ credentials })).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringMatching(/^vertex found no project: pass project, set GOOGLE_CLOUD_PROJECT/),
    });
  });
});
