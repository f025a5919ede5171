import type { Route } from "../routes/route.ts";
import type { Service } from "./service.ts";

/** The part of an OpenAPI document that describes the paths of a protocol. */
type DescribedPaths = {
  readonly paths: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, object>>;
  /** The tags of the operations that the service itself does not have, such as `{ name: "openai", description: "…" }`. */
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
};

/** A way in which a service is spoken over HTTP, such as JSON with server-sent events, A2A or MCP. */
export interface Protocol {
  /** The name of the protocol in errors, and in the requests that the host's functions get. */
  readonly name: string;
  /**
   * Returns the routes by which the protocol answers for a service. Called once for each server that speaks it.
   * `beside` are all protocols of that server. What the protocol itself must end is added by `service.add`.
   */
  routes(service: Service, beside: readonly Protocol[]): readonly Route[];
  /** Describes the routes for the OpenAPI document of the service. @default they are not in the document */
  describe?(service: Service): DescribedPaths;
}
