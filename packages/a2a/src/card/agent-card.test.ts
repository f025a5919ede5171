import * as sdk1 from "a2a-sdk-1";
import type * as sdk02 from "a2a-sdk-02";
import type * as sdk03 from "a2a-sdk-03";
import { describe, expect, it } from "vitest";
import {
  describeAgent,
  describeAgents,
  generateAgentCard,
  generateMultiAgentCard,
  makeCard,
  makeCard1,
} from "./agent-card.ts";
import type { CardFacts } from "./agent-card.ts";
import { checkSecurity, securityOption, securitySchemesOption } from "./security-schemes.ts";
import type { SecurityScheme } from "./security-schemes.ts";

const helper = { name: "helper", description: "Helps with bills.", kind: "agent" } as const;
const router = { name: "router", kind: "team" } as const;
const provider = { organization: "Example", url: "https://example.org" };

const securitySchemes: Record<string, SecurityScheme> = {
  key: { type: "apiKey", in: "header", name: "x-service-key", description: "A key of the service." },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  login: { type: "openIdConnect", openIdConnectUrl: "https://example.org/.well-known/openid-configuration" },
  oauth: {
    type: "oauth2",
    oauth2MetadataUrl: "https://example.org/oauth",
    flows: {
      clientCredentials: { tokenUrl: "https://example.org/token", scopes: { ask: "Ask agents" } },
      authorizationCode: {
        authorizationUrl: "https://example.org/authorize",
        tokenUrl: "https://example.org/token",
        scopes: { ask: "Ask agents" },
        pkceRequired: true,
      },
      deviceCode: {
        deviceAuthorizationUrl: "https://example.org/device",
        tokenUrl: "https://example.org/t",
        scopes: {},
      },
    },
  },
  certificate: { type: "mutualTLS", description: "A certificate." },
};

const facts: CardFacts = {
  ...describeAgent(helper),
  url: "https://example.org/a2a",
  version: "2.0.0",
  provider,
  securitySchemes,
  security: [{ bearer: [] }, { oauth: ["ask"], key: [] }],
};

/** JSON without the default values that the SDK writes out. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [name, withoutDefaults(part)]);
  return Object.fromEntries(
    entries.filter(([, part]) => part !== "" && part !== false && !(Array.isArray(part) && part.length === 0)),
  );
}

it.each([undefined, "", " ", "\n\t", "\u00a0"])(
  "an agent whose description is %j is described by its name",
  (description) => {
    const agent = { name: "übersetzer", kind: "agent", ...(description !== undefined && { description }) } as const;
    const { description: said, skills } = describeAgent(agent, "en");
    expect([said, ...skills.map((skill) => skill.description)]).toEqual(["Agent en.", "Agent en."]);
    const both = describeAgents([
      ["en", agent],
      ["de", { ...agent, description: " Hilft. " }],
    ]);
    expect(both.skills.map((skill) => skill.description)).toEqual(["Agent en.", "Hilft."]);
  },
);

describe("card of an agent", () => {
  it("has the fields by which clients of every version find the agent [a2a.generate-card] [a2a.card-versions]", () => {
    const card = generateAgentCard(helper, "https://example.org/a2a/", provider);
    expect(card).toEqual({
      protocolVersion: "0.3.0",
      name: "helper",
      description: "Helps with bills.",
      url: "https://example.org/a2a",
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ url: "https://example.org/a2a", transport: "JSONRPC" }],
      supportedInterfaces: [
        { url: "https://example.org/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: "https://example.org/a2a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
        { url: "https://example.org/a2a", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
      version: "1.0.0",
      provider: { organization: "Example", url: "https://example.org" },
      capabilities: {
        streaming: true,
        pushNotifications: false,
        stateTransitionHistory: false,
        extendedAgentCard: false,
      },
      supportsAuthenticatedExtendedCard: false,
      defaultInputModes: ["text/plain", "application/json", "image/*", "audio/*"],
      defaultOutputModes: ["text/plain", "application/json"],
      skills: [{ id: "helper", name: "helper", description: "Helps with bills.", tags: ["agent"] }],
    });
  });

  it("an agent without a description is described by its name, and a provider without an address by the agent's", () => {
    const card = generateAgentCard(router, "http://localhost:3000/a2a", { organization: "Example" });
    expect(card).toMatchObject({
      description: "Agent router.",
      provider: { organization: "Example", url: "http://localhost:3000" },
      skills: [{ description: "Agent router.", tags: ["team"] }],
    });
    expect(generateAgentCard(router, "http://localhost:3000")).not.toHaveProperty("provider");
  });

  it("the card of several agents has one skill for each, by the names of the registry [a2a.generate-multi-card]", () => {
    const agents = { billing: helper, front: router };
    const card = generateMultiAgentCard(agents, "https://example.org", provider);
    expect(card).toMatchObject({ name: "Agents of Example", url: "https://example.org" });
    expect(card.description).toContain("billing, front");
    expect(card.skills).toEqual([
      { id: "billing", name: "billing", description: "Helps with bills.", tags: ["agent"] },
      { id: "front", name: "front", description: "Agent front.", tags: ["team"] },
    ]);
    expect(generateMultiAgentCard(new Map(Object.entries(agents)), "https://example.org", provider)).toEqual(card);
    expect(generateMultiAgentCard({ billing: helper }, "https://example.org").name).toBe("billing");
  });

  it.each(["", "example.org", "ftp://example.org", "https://ada:pw@example.org", "https://example.org?a=1"])(
    "the address %j is refused",
    (url) => {
      expect(() => generateAgentCard(helper, url)).toThrow("baseUrl must be an http: or https: address");
      expect(() => generateMultiAgentCard({}, "https://example.org")).toThrow("A card needs at least one agent.");
    },
  );
});

describe("card and the official SDKs", () => {
  it("the one of 1.0 is read by the SDK without loss, and has nothing of 0.x [a2a.card-1]", () => {
    const card = makeCard1(facts);
    expect(withoutDefaults(sdk1.AgentCard.toJSON(sdk1.AgentCard.fromJSON(card)))).toEqual(withoutDefaults(card));
    expect(Object.keys(card).toSorted()).toEqual([
      "capabilities",
      "defaultInputModes",
      "defaultOutputModes",
      "description",
      "name",
      "provider",
      "securityRequirements",
      "securitySchemes",
      "skills",
      "supportedInterfaces",
      "version",
    ]);
    expect(card.securitySchemes?.["oauth"]).toEqual({
      oauth2SecurityScheme: {
        flows: {
          authorizationCode:
            securitySchemes["oauth"]?.type === "oauth2" && securitySchemes["oauth"].flows.authorizationCode,
        },
        oauth2MetadataUrl: "https://example.org/oauth",
      },
    });
  });

  it("the one for all versions is read by the SDK of 1.0 as the one of 1.0", () => {
    const read = sdk1.AgentCard.toJSON(sdk1.AgentCard.fromJSON(makeCard(facts)));
    expect(withoutDefaults(read)).toEqual(withoutDefaults(makeCard1(facts)));
  });

  it("the one for all versions has the types of the SDKs of 0.2.5 and 0.3, with OpenAPI's security schemes [a2a.card-0]", () => {
    const card = makeCard(facts);
    const ofTwo: Omit<sdk02.AgentCard, "securitySchemes"> = card;
    const ofThree: Omit<sdk03.AgentCard, "securitySchemes"> = card;
    expect(ofTwo.url).toBe(ofThree.url);
    expect(card.security).toEqual([{ bearer: [] }, { oauth: ["ask"], key: [] }]);
    const { oauth, ...others } = card.securitySchemes ?? {};
    const { oauth: _, ...given } = securitySchemes;
    expect(others).toMatchObject(given);
    expect((oauth as { flows: object }).flows).toEqual({
      clientCredentials: { tokenUrl: "https://example.org/token", scopes: { ask: "Ask agents" } },
      authorizationCode: {
        authorizationUrl: "https://example.org/authorize",
        tokenUrl: "https://example.org/token",
        scopes: { ask: "Ask agents" },
      },
    });
  });
});

describe("security of a card [a2a.card-security]", () => {
  it("takes schemes and requirements as they are", () => {
    expect(securitySchemesOption(securitySchemes, "securitySchemes", {})).toEqual(securitySchemes);
    expect(securityOption([{ bearer: [] }], "security", {})).toEqual([{ bearer: [] }]);
    expect(() => checkSecurity({ securitySchemes, security: [{ bearer: [], key: [] }] })).not.toThrow();
  });

  it.each([
    [[], "securitySchemes must be an object of schemes by name"],
    [{ a: "bearer" }, "securitySchemes.a.type must be"],
    [{ a: { type: "basic" } }, "securitySchemes.a.type must be"],
    [{ a: { type: "apiKey", in: "body", name: "k" } }, "securitySchemes.a.in must be"],
    [{ a: { type: "apiKey", in: "header" } }, "securitySchemes.a.name must be"],
    [{ a: { type: "http", scheme: "bearer", value: "s3cret" } }, 'Unknown option "value"'],
    [{ a: { type: "oauth2", flows: {} } }, "securitySchemes.a.flows must have at least one flow"],
    [
      { a: { type: "oauth2", flows: { password: { scopes: {} } } } },
      "securitySchemes.a.flows.password.tokenUrl must be",
    ],
    [
      { a: { type: "oauth2", flows: { password: { tokenUrl: "t", scopes: ["a"] } } } },
      "securitySchemes.a.flows.password.scopes must be",
    ],
    [{ a: { type: "openIdConnect" } }, "securitySchemes.a.openIdConnectUrl must be"],
  ])("refuses the schemes %j", (schemes, message) => {
    expect(() => securitySchemesOption(schemes, "securitySchemes", {})).toThrow(message);
  });

  it("refuses requirements of another form, and those of a scheme that is not declared", () => {
    for (const wrong of [{ bearer: [] }, ["bearer"], [{ bearer: "all" }], [{ bearer: [1] }]]) {
      expect(() => securityOption(wrong, "security", {})).toThrow("security");
    }
    expect(() => checkSecurity({ securitySchemes, security: [{ constructor: [] }] })).toThrow(
      'security names the scheme "constructor", which is not in securitySchemes.',
    );
    expect(() => checkSecurity({ security: [{ bearer: [] }] })).toThrow("not in securitySchemes");
  });
});
