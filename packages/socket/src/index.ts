export { allowOrigins } from "./allow-origins.ts";
export type { AllowRequest } from "./allow-origins.ts";
export { createAgentGateway } from "./create-agent-gateway.ts";
export type { AgentGateway } from "./create-agent-gateway.ts";
export type {
  ClientError,
  EventOrigin,
  GatewayClientEvents,
  GatewayServerEvents,
  RunIds,
  RunPayload,
} from "./events.ts";
export type { GatewayOptions, SocketMiddleware } from "./gateway-options.ts";
