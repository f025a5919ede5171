export type { Delivery, Fault, Moment } from "./vendor/delivery.ts";
export type {
  DialectName,
  Refusal,
  Route,
  VendorFailure,
  VendorReply,
  VendorRequest,
  VendorTurn,
} from "./vendor/dialect.ts";
export type { Exchange } from "./vendor/exchange.ts";
export { FakeVendor } from "./vendor/fake-vendor.ts";
export type { FakeVendorOptions } from "./vendor/fake-vendor.ts";
export { badGateway } from "./vendor/planned-reply.ts";
export type { PlannedReply } from "./vendor/planned-reply.ts";
export { readTranscript, transcriptNames } from "./vendor/transcripts.ts";
