import { describe, expect, it } from "vitest";
import { checkSecurity, securityOption, securitySchemesOption, toScheme0, toScheme1 } from "./security-schemes.ts";
import type { OAuthFlows, SecurityScheme } from "./security-schemes.ts";

const [authorizationUrl, tokenUrl, refreshUrl] = ["https://a.example/a", "https://a.example/t", "https://a.example/r"];
const scopes = { ask: "Ask agents" };
const description = "How to get in.";
const deviceAuthorizationUrl = "https://a.example/d";

const flows: Required<OAuthFlows> = {
  password: { tokenUrl, refreshUrl, scopes },
  implicit: { authorizationUrl, refreshUrl, scopes },
  deviceCode: { deviceAuthorizationUrl, tokenUrl, refreshUrl, scopes },
  clientCredentials: { tokenUrl, refreshUrl, scopes },
  authorizationCode: { authorizationUrl, tokenUrl, refreshUrl, scopes, pkceRequired: true },
};
const oauth: SecurityScheme = { type: "oauth2", description, flows, oauth2MetadataUrl: "https://a.example/m" };

const schemes: Record<string, SecurityScheme> = {
  header: { type: "apiKey", in: "header", name: "x-key", description },
  query: { type: "apiKey", in: "query", name: "key" },
  cookie: { type: "apiKey", in: "cookie", name: "key" },
  http: { type: "http", scheme: "bearer", bearerFormat: "JWT", description },
  oauth,
  openId: { type: "openIdConnect", openIdConnectUrl: "https://a.example/o", description },
  mutual: { type: "mutualTLS", description },
};

const read = (given: unknown) => securitySchemesOption(given, "securitySchemes", {});
const error = (message: string) => expect.objectContaining({ code: "invalid_config", message }) as Error;

describe("the option securitySchemes", () => {
  it("takes every scheme with all of its fields, and each flow alone", () => {
    expect(read(schemes)).toEqual(schemes);
    for (const [name, flow] of Object.entries(flows)) {
      const one = { oauth: { type: "oauth2", flows: { [name]: flow } } };
      expect(read(one)).toEqual(one);
    }
  });

  it.each([null, "bearer", [schemes["http"]]])("refuses %j", (given) => {
    expect(() => read(given)).toThrow("securitySchemes must be an object of schemes by name");
  });

  it.each<[object | null, string]>([
    [null, "type"],
    [{ type: "constructor" }, "type"],
    [{ type: "apiKey", in: "body", name: "k" }, "in"],
    [{ type: "apiKey", in: "header", name: " " }, "name"],
    [{ type: "http" }, "scheme"],
    [{ type: "http", scheme: "bearer", bearerFormat: "" }, "bearerFormat"],
    [{ type: "mutualTLS", description: 1 }, "description"],
    [{ type: "openIdConnect", openIdConnectUrl: "" }, "openIdConnectUrl"],
    [{ type: "oauth2" }, "flows"],
    [{ type: "oauth2", flows: { implicit: { authorizationUrl } } }, "flows.implicit.scopes"],
    [{ type: "oauth2", flows: { implicit: { authorizationUrl, scopes: null } } }, "flows.implicit.scopes"],
    [{ type: "oauth2", flows: { implicit: { authorizationUrl, scopes: { ask: 1 } } } }, "flows.implicit.scopes"],
    [{ type: "oauth2", flows: { implicit: { scopes } } }, "flows.implicit.authorizationUrl"],
    [{ type: "oauth2", flows: { clientCredentials: { scopes } } }, "flows.clientCredentials.tokenUrl"],
    [{ type: "oauth2", flows: { deviceCode: { tokenUrl, scopes } } }, "flows.deviceCode.deviceAuthorizationUrl"],
    [
      { type: "oauth2", flows: { authorizationCode: { tokenUrl, scopes } } },
      "flows.authorizationCode.authorizationUrl",
    ],
    [
      { type: "oauth2", flows: { authorizationCode: { ...flows.authorizationCode, pkceRequired: 1 } } },
      "flows.authorizationCode.pkceRequired",
    ],
    [{ type: "oauth2", flows, oauth2MetadataUrl: "" }, "oauth2MetadataUrl"],
  ])("names what is wrong in %j", (scheme, field) => {
    expect(() => read({ good: schemes["http"], bad: scheme })).toThrow(`securitySchemes.bad.${field} must be`);
  });

  it("refuses a scheme without a flow", () => {
    const message = "securitySchemes.bad.flows must have at least one flow, such as clientCredentials.";
    expect(() => read({ bad: { type: "oauth2", flows: {} } })).toThrow(error(message));
  });
});

describe("the option security", () => {
  it("takes requirements of several schemes, and an empty one", () => {
    const given = [{ http: [], oauth: ["ask", "tell"] }, {}];
    expect(securityOption(given, "security", {})).toEqual(given);
  });

  it.each([[[null]], [["http"]], [[{ http: "ask" }]], [[{ oauth: ["ask", 1] }]], [{ http: [] }]])(
    "refuses %j",
    (given) => {
      expect(() => securityOption(given, "security", {})).toThrow(/^security(\[0\])? must be/);
    },
  );

  it("names a scheme that is not declared, in any requirement", () => {
    const sentence = (name: string) =>
      error(`security names the scheme "${name}", which is not in securitySchemes. Declare it there.`);
    expect(() => checkSecurity({ securitySchemes: schemes, security: [{ http: [] }, { http: [], odd: [] }] })).toThrow(
      sentence("odd"),
    );
    expect(() => checkSecurity({ securitySchemes: schemes, security: [{ toString: [] }] })).toThrow(
      sentence("toString"),
    );
    expect(() => checkSecurity({ security: [{ http: [] }] })).toThrow(sentence("http"));
    expect(checkSecurity({ securitySchemes: schemes })).toBeUndefined();
  });
});

describe("a scheme in a card of 0.x", () => {
  it("is that of OpenAPI, without what only 1.0 knows", () => {
    for (const scheme of Object.values(schemes).filter(({ type }) => type !== "oauth2"))
      expect(toScheme0(scheme)).toEqual(scheme);
    const { deviceCode: _, authorizationCode, ...others } = flows;
    const { pkceRequired: _pkce, ...code } = authorizationCode;
    const before = structuredClone(oauth);
    expect(toScheme0(oauth)).toEqual({ ...oauth, flows: { ...others, authorizationCode: code } });
    expect(toScheme0({ ...oauth, flows: others })).toEqual({ ...oauth, flows: others });
    expect(oauth).toEqual(before);
  });
});

describe("a scheme in a card of 1.0", () => {
  it.each<[string, object]>([
    ["header", { apiKeySecurityScheme: { description, location: "header", name: "x-key" } }],
    ["cookie", { apiKeySecurityScheme: { location: "cookie", name: "key" } }],
    ["http", { httpAuthSecurityScheme: { description, scheme: "bearer", bearerFormat: "JWT" } }],
    ["openId", { openIdConnectSecurityScheme: { description, openIdConnectUrl: "https://a.example/o" } }],
    ["mutual", { mtlsSecurityScheme: { description } }],
    [
      "oauth",
      {
        oauth2SecurityScheme: {
          description,
          flows: { authorizationCode: flows.authorizationCode },
          oauth2MetadataUrl: "https://a.example/m",
        },
      },
    ],
  ])("has its type as its name: %s", (name, written) => {
    expect(toScheme1(schemes[name] ?? oauth)).toEqual(written);
  });

  it("has one flow alone, the one that 1.0 prefers", () => {
    const order = ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"] as const;
    for (const [index, name] of order.entries()) {
      const left: OAuthFlows = Object.fromEntries(
        Object.entries(flows).filter(([each]) => !order.slice(0, index).includes(each as "password")),
      );
      expect(toScheme1({ type: "oauth2", flows: left })).toEqual({
        oauth2SecurityScheme: { flows: { [name]: flows[name] } },
      });
    }
  });
});
