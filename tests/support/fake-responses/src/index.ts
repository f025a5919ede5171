export { FakeResponse } from "./fake-response.ts";
export { WrittenResponse } from "./written-response.ts";
