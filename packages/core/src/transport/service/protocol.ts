import type { Route } from "../routes/route.ts";
import type { Service } from "./service.ts";

/** The part of an OpenAPI document that describes the paths of a protocol. */
type DescribedPaths = {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, object>>;
  /**
   * The tags of operations that the service's own document does not declare, such as `{ name: "openai", description:
   * "…" }`.
   */
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
};

/** A protocol over HTTP that makes a service accessible, such as JSON with server-sent events, A2A or MCP. */
export interface Protocol {
  /** The name of the protocol, in errors and in the requests passed to the host's functions. */
  readonly name: string;
  /**
   * Returns the protocol's routes for a service. Called once for each server that speaks the protocol. `beside` are
   * all protocols of that server. The protocol registers its own connections with `service.add`, which ends them with
   * the service.
   */
  routes(service: Service, beside: readonly Protocol[]): readonly Route[];
  /** Describes the routes for the OpenAPI document of the service. @default the document does not contain them */
  describe?(service: Service): DescribedPaths;
}
