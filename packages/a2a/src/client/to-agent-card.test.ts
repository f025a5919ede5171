import { describe, expect, it } from "vitest";
import type { RemoteAgentCard } from "./remote-interfaces.ts";
import { toAgentCard } from "./to-agent-card.ts";

const card = (fields: object = {}): RemoteAgentCard => ({ name: "far", ...fields });

const rpc1 = { url: "/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
const rest1 = { url: "/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.1", tenant: "t" };

/** The card of an agent that tells only its name. */
const bare = {
  name: "far",
  description: "",
  version: "",
  url: "",
  preferredTransport: "JSONRPC",
  protocolVersion: "0.2",
  additionalInterfaces: [],
  supportedInterfaces: [],
  capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false, extendedAgentCard: false },
  supportsAuthenticatedExtendedCard: false,
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

const list = (scopes: unknown) => ({ schemes: { key: { list: scopes } } });

describe("the card of a remote agent with the fields of every version", () => {
  it("has defaults for all that was not told", () => {
    expect(toAgentCard(card())).toEqual(bare);
  });

  it.each<[string, object, object]>([
    [
      "texts and modes",
      { description: "Helps.", version: "2", defaultInputModes: ["a/b"], defaultOutputModes: ["c/d"] },
      { description: "Helps.", version: "2", defaultInputModes: ["a/b"], defaultOutputModes: ["c/d"] },
    ],
    ["texts of another form", { description: 1, version: [], defaultInputModes: "a/b", defaultOutputModes: {} }, {}],
    [
      "modes among others",
      { defaultInputModes: [1, "a/b", null], defaultOutputModes: ["c/d", 2] },
      { defaultInputModes: ["a/b"], defaultOutputModes: ["c/d"] },
    ],
    ["a field that is not known", { vendor: { own: [1] } }, { vendor: { own: [1] } }],
    [
      "the interfaces of 1.0",
      { supportedInterfaces: [rest1, rpc1] },
      { url: "/rest", preferredTransport: "HTTP+JSON", protocolVersion: "1.1", supportedInterfaces: [rest1, rpc1] },
    ],
    [
      "an interface of 1.0 without a version, behind one of no form",
      {
        supportedInterfaces: [
          null,
          { url: "/x" },
          { protocolBinding: "GRPC" },
          { url: "/a2a", protocolBinding: "JSONRPC" },
        ],
      },
      { url: "/a2a", protocolVersion: "1.0", supportedInterfaces: [rpc1] },
    ],
    [
      "interfaces of both",
      { url: "/old", preferredTransport: "GRPC", protocolVersion: "0.3.0", supportedInterfaces: [rpc1] },
      { url: "/old", preferredTransport: "GRPC", protocolVersion: "0.3.0", supportedInterfaces: [rpc1] },
    ],
    [
      "an interface of 0.x alone",
      { url: "/old", preferredTransport: "", protocolVersion: "" },
      { url: "/old", supportedInterfaces: [{ url: "/old", protocolBinding: "JSONRPC", protocolVersion: "0.2" }] },
    ],
    [
      "further interfaces of 0.x",
      { additionalInterfaces: [{ url: "/g", transport: "GRPC", more: 1 }, { url: "/x" }, { transport: "GRPC" }, 7] },
      { additionalInterfaces: [{ url: "/g", transport: "GRPC", more: 1 }] },
    ],
    [
      "capabilities",
      { capabilities: { streaming: true, pushNotifications: true, stateTransitionHistory: true, extensions: ["e"] } },
      {
        capabilities: {
          streaming: true,
          pushNotifications: true,
          stateTransitionHistory: true,
          extendedAgentCard: false,
          extensions: ["e"],
        },
      },
    ],
    [
      "capabilities that are not true",
      { capabilities: { streaming: "yes", pushNotifications: 1, extendedAgentCard: 1 } },
      {},
    ],
    [
      "an extended card of 0.x",
      { supportsAuthenticatedExtendedCard: true },
      { capabilities: { ...bare.capabilities, extendedAgentCard: true }, supportsAuthenticatedExtendedCard: true },
    ],
    [
      "an extended card of 1.0",
      { capabilities: { extendedAgentCard: true } },
      { capabilities: { ...bare.capabilities, extendedAgentCard: true }, supportsAuthenticatedExtendedCard: true },
    ],
    [
      "skills",
      {
        skills: [
          { id: "a", name: "A", description: "Does a.", tags: ["x", 1], examples: ["e"] },
          { id: "b" },
          { name: "C" },
          {},
          7,
        ],
      },
      {
        skills: [
          { id: "a", name: "A", description: "Does a.", tags: ["x"], examples: ["e"] },
          { id: "b", name: "b", description: "", tags: [] },
          { id: "C", name: "C", description: "", tags: [] },
          { id: "", name: "", description: "", tags: [] },
        ],
      },
    ],
    [
      "a provider",
      { provider: { organization: "Far", url: "https://far.example", more: 1 } },
      { provider: { organization: "Far", url: "https://far.example", more: 1 } },
    ],
    [
      "a provider without an address",
      { provider: { organization: "Far" } },
      { provider: { organization: "Far", url: "" } },
    ],
    ["a provider without a name", { provider: { url: "https://far.example" } }, {}],
    ["schemes", { securitySchemes: { key: { type: "apiKey" } } }, { securitySchemes: { key: { type: "apiKey" } } }],
    ["schemes of another form", { securitySchemes: { key: { type: "apiKey" }, other: "apiKey" } }, {}],
    ["schemes in a list", { securitySchemes: [{ type: "apiKey" }] }, {}],
    ["scheme that is a list", { securitySchemes: { key: [] } }, {}],
    [
      "requirements of 0.x",
      { security: [{ key: [] }, { key: ["a"], other: ["b"] }, { key: ["a", 1] }, { key: "a" }, ["key"], null] },
      { security: [{ key: [] }, { key: ["a"], other: ["b"] }] },
    ],
    ["requirements of 0.x in no list", { security: { key: [] } }, {}],
    [
      "requirements of 1.0",
      { securityRequirements: [list(["a", 1]), list("a"), { schemes: { key: null } }, {}, 7] },
      { securityRequirements: [list(["a"]), list([]), list([]), { schemes: {} }] },
    ],
    ["requirements of 1.0 in no list", { securityRequirements: list(["a"]) }, {}],
  ])("reads %s", (_what, fields, expected) => {
    const raw = card(fields);
    const before = structuredClone(raw);
    expect(toAgentCard(raw)).toStrictEqual({ ...bare, ...expected });
    expect(raw).toEqual(before);
  });
});
