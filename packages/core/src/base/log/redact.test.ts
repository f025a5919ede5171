import { describe, expect, it } from "vitest";
import { createRedactor, isSecretName } from "./redact.ts";

const secret = "sk-canary-0123456789";

describe("isSecretName", () => {
  it.each([
    "x-openai-api-key",
    "X-Anthropic-API-Key",
    "x-google-api-key",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "Authorization",
    "proxy-authorization",
    "Cookie",
    "set-cookie",
    "apiKey",
    "api_key",
    "apiKeys",
    "openaiApiKey",
    "OPENAI_API_KEY",
    "accessToken",
    "access_token",
    "refreshToken",
    "token",
    "password",
    "clientSecret",
    "secret",
    "private_key",
    "credentials",
  ])("recognizes %s as the name of a secret", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    "maxTokens",
    "totalTokens",
    "promptTokens",
    "tokens",
    "tokenCount",
    "maxContextTokens",
    "key",
    "keys",
    "sessionId",
    "author",
    "authorized",
    "secretary",
    "constructor",
    "",
  ])("recognizes %j as an ordinary name", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe("createRedactor", () => {
  it.each(["Bearer", "bearer", "Basic", "Token", "ApiKey"])(
    "hides the token of a header %s by itself too",
    (scheme) => {
      const redact = createRedactor([`${scheme} ${secret}`]);

      expect(redact(`token ${secret} has expired`)).toBe("token [redacted] has expired");
      expect(redact(`got "${scheme} ${secret}", ${scheme} again`)).toBe(`got "[redacted]", ${scheme} again`);
    },
  );

  it("leaves no part of a token at the cut, however short", () => {
    const redact = createRedactor();
    const text = `Sent Bearer ${secret} twice`;

    for (let length = "Sent Bearer ".length + 1; length < text.length - " twice".length; length++) {
      expect(redact(text, length), `${length}`).toBe("Sent Bearer [redacted]…");
    }
    expect(redact("The bearer of news", 13)).toBe("The bearer [redacted]…");
    expect(redact("The bearer of news")).toBe("The bearer of news");
  });

  it("hides a secret of several words as a whole alone", () => {
    const redact = createRedactor(["open sesame now", "Bearer"]);

    expect(redact("sesame now: open sesame now")).toBe("sesame now: [redacted]");
  });

  it("hides the given values in every encoding", () => {
    const redact = createRedactor([`${secret}/+`]);

    for (const written of [`${secret}/+`, encodeURIComponent(`${secret}/+`), JSON.stringify({ a: `${secret}/+` })]) {
      expect(redact(`Before ${written} after.`)).not.toContain("canary");
    }
  });

  it.each([
    [`Authorization: Bearer ${secret}`, "Authorization: Bearer [redacted]"],
    [`"Bearer ${secret}" is an invalid header value.`, '"Bearer [redacted]" is an invalid header value.'],
    [`GET https://vendor.test/v1?key=${secret}&alt=sse`, "GET https://vendor.test/v1?key=[redacted]&alt=sse"],
    [`https://vendor.test/?a=1&access_token=${secret}#x`, "https://vendor.test/?a=1&access_token=[redacted]#x"],
    [`{"apiKey":"${secret}","maxTokens":5}`, '{"apiKey":"[redacted]","maxTokens":5}'],
    [`{\\"api_key\\":\\"${secret}\\"}`, '{\\"api_key\\":\\"[redacted]\\"}'],
    [`x-openai-api-key: ${secret}`, "x-openai-api-key: [redacted]"],
    [`authorization: 'Basic dXNlcjpwYXNz'`, "authorization: 'Basic [redacted]'"],
    [`password = ${secret}, user = me`, "password = [redacted], user = me"],
  ])("hides an unknown secret in %s", (text, redacted) => {
    expect(createRedactor()(text)).toBe(redacted);
  });

  it.each(["totalTokens=5", "the key=value pairs", "a bearer of news", "monkey=5", '{"maxTokens": 5}'])(
    "does not change %j",
    (text) => {
      expect(createRedactor([secret])(text)).toBe(text);
    },
  );

  it("leaves no part of a secret at a cut", () => {
    expect(createRedactor([secret])(`0123456789${secret}`, 15)).toBe("0123456789[redacted]…");
  });
});

it.each([
  "authorization",
  "proxyAuthorization",
  "cookie",
  "setCookie",
  "apiKeys",
  "token",
  "accessToken",
  "refreshToken",
  "idToken",
  "authToken",
  "bearerToken",
  "sessionToken",
  "password",
  "passwd",
  "passphrase",
  "secret",
  "clientSecret",
  "secretKey",
  "secretAccessKey",
  "privateKey",
  "credential",
  "credentials",
  "anyApiKey",
])("the name %s is that of a secret in each spelling, and not as a part of a longer one", (name) => {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`);

  expect([name, name.toUpperCase(), snake, snake.replaceAll("_", "-")].map(isSecretName)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect(isSecretName(`${name}Count`)).toBe(false);
});
