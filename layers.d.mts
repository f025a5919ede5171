/** The shape of `layers.mjs`, for the checks that read it; what each part means stands there. */
export interface Layers {
  readonly coreFloors: readonly (readonly string[])[];
  readonly testKit: string;
  readonly coreDoors: Readonly<Record<string, string>>;
  readonly packageEdges: Readonly<Record<string, readonly string[]>>;
  readonly internalUsers: Readonly<Record<string, readonly string[]>>;
  readonly testDoors: { readonly names: readonly string[]; readonly users: readonly string[] };
  readonly sharedTestTools: readonly string[];
  readonly environmentReaders: readonly string[];
}

export declare const coreFloors: Layers["coreFloors"];
export declare const testKit: Layers["testKit"];
export declare const coreDoors: Layers["coreDoors"];
export declare const packageEdges: Layers["packageEdges"];
export declare const internalUsers: Layers["internalUsers"];
export declare const testDoors: Layers["testDoors"];
export declare const sharedTestTools: Layers["sharedTestTools"];
export declare const environmentReaders: Layers["environmentReaders"];
