import { Service } from "@troupe-internal/toolkit";
import { FakeService } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestToken, tokenAdvice } from "./token-endpoint.ts";

async function ask(status: number, body: object) {
  const fake = (await FakeService.start()).answer({ status, body: JSON.stringify(body) });
  onTestFinished(() => fake.close());
  const client = { clientId: "id-1", authUrl: "http://localhost/auth", tokenUrl: `${fake.url}/token` };
  const server = new Service({ name: "The authorization server", timeoutMs: 2000, network: {} });
  const issued = requestToken(server, { client, grant: { grant_type: "refresh_token", client_id: "other" } });
  return { fake, issued };
}

describe("requestToken", () => {
  it("sends a form without a secret for a client that has none", async () => {
    const { fake, issued } = await ask(200, { access_token: "ya29.a" });

    expect(await issued).toStrictEqual({ accessToken: "ya29.a" });
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]).toMatchObject({
      method: "POST",
      path: "/token",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: "grant_type=refresh_token&client_id=id-1",
    });
  });

  it("leaves out fields of the answer that are empty or of another type", async () => {
    const { issued } = await ask(200, { access_token: "ya29.a", refresh_token: "", expires_in: 0, scope: ["s"] });

    expect(await issued).toStrictEqual({ accessToken: "ya29.a" });
  });

  it("counts the seconds of a token from now", async () => {
    const before = Date.now();
    const { issued } = await ask(200, { access_token: "ya29.a", refresh_token: "1//r", expires_in: 100, scope: "s" });
    const { expiresAt = 0, ...rest } = await issued;

    expect(rest).toStrictEqual({ accessToken: "ya29.a", refreshToken: "1//r", scope: "s" });
    expect(expiresAt).toBeGreaterThanOrEqual(before + 100_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 100_000);
  });

  it.each<[status: number, body: object, problem: string, words: string]>([
    [400, { error: "invalid_grant" }, "credential_refused", tokenAdvice],
    [401, { error: "invalid_client" }, "credential_refused", "set credentialsPath to it"],
    [400, { error: "unauthorized_client" }, "credential_refused", "set credentialsPath to it"],
    [400, { error: "invalid_scope" }, "credential_refused", tokenAdvice],
    [499, {}, "credential_refused", tokenAdvice],
    [429, {}, "rate_limited", "no access token was given"],
    [500, {}, "unavailable", "no access token was given"],
    [200, {}, "unavailable", "no access token was given"],
    [200, { access_token: "a b" }, "unavailable", "no access token was given"],
    [201, { access_token: "ya29.a" }, "credential_refused", "was refused"],
  ])("rejects status %s with %j as %s", async (...[status, body, problem, words]) => {
    const { issued } = await ask(status, body);

    await expect(issued).rejects.toMatchObject({
      fields: { problem },
      message: expect.stringContaining(words),
    });
  });

  it("refuses an answer of more than 65536 bytes", async () => {
    const { issued } = await ask(200, { access_token: "ya29.a", more: "x".repeat(65_536) });

    await expect(issued).rejects.toMatchObject({ fields: { problem: "too_large" } });
  });
});
