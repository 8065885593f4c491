/**
 * The types of a schema library, as far as declarations of these packages name them: what a schema takes and what it gives.
 * The packages carry the library's code in themselves, and its types would be their one dependency.
 */

/** What parses a value. `Output` is what comes out, `Input` what goes in. */
export interface Schema<out Output = unknown, out Input = unknown> {
  readonly _zod: { readonly output: Output; readonly input: Input };
}

type Out<S> = S extends Schema<infer Output, unknown> ? Output : never;
type In<S> = S extends Schema<unknown, infer Input> ? Input : never;
type Flat<T> = { [Name in keyof T]: T[Name] } & {};
type Shape = Readonly<Record<string, Schema>>;
type MayLack<S, Side> = undefined extends Side ? S : never;
type LackingOut<S extends Shape> = {
  [N in keyof S]: S[N] extends z.ZodOptional<Schema> ? N : never;
}[keyof S];
type LackingIn<S extends Shape> = {
  [N in keyof S]: S[N] extends z.ZodOptional<Schema> ? N : MayLack<N, In<S[N]>>;
}[keyof S];
type More<Config> = Config extends { readonly more: infer M } ? M : unknown;
type ObjectOut<S extends Shape, Config> = Flat<
  { -readonly [N in Exclude<keyof S, LackingOut<S>>]: Out<S[N]> } & {
    -readonly [N in LackingOut<S>]?: Out<S[N]>;
  }
> &
  More<Config>;
type ObjectIn<S extends Shape, Config> = Flat<
  { -readonly [N in Exclude<keyof S, LackingIn<S>>]: In<S[N]> } & {
    -readonly [N in LackingIn<S>]?: In<S[N]>;
  }
> &
  More<Config>;
type Key = string | number | symbol;

export declare namespace z {
  type infer<S> = Out<S>;
  type output<S> = Out<S>;
  type input<S> = In<S>;
  type ZodType<Output = unknown, Input = unknown> = Schema<Output, Input>;
  type ZodString = Schema<string, string>;
  type ZodEmail = ZodString;
  type ZodURL = ZodString;
  type ZodISODateTime = ZodString;
  type ZodNumber = Schema<number, number>;
  type ZodInt = ZodNumber;
  type ZodBoolean = Schema<boolean, boolean>;
  type ZodUnknown = Schema<unknown, unknown>;
  type ZodNull = Schema<null, null>;
  type ZodLiteral<T> = Schema<T, T>;
  type ZodTemplateLiteral<T> = Schema<T, T>;
  type ZodEnum<T> = Schema<T[keyof T], T[keyof T]>;
  type ZodArray<S extends Schema> = Schema<Out<S>[], In<S>[]>;
  type ZodTuple<S extends readonly Schema[]> = Schema<
    { -readonly [I in keyof S]: Out<S[I]> },
    { -readonly [I in keyof S]: In<S[I]> }
  >;
  type ZodNullable<S extends Schema> = Schema<Out<S> | null, In<S> | null>;
  interface ZodOptional<out S extends Schema> extends Schema<Out<S> | undefined, In<S> | undefined> {
    readonly isOptional: true;
  }
  type ZodDefault<S extends Schema> = Schema<Exclude<Out<S>, undefined>, In<S> | undefined>;
  type ZodRecord<K extends Schema, V extends Schema> = Schema<
    Record<Out<K> & Key, Out<V>>,
    Record<In<K> & Key, In<V>>
  >;
  type ZodUnion<S extends readonly Schema[]> = Schema<Out<S[number]>, In<S[number]>>;
  type ZodDiscriminatedUnion<S extends readonly Schema[], _Name extends string = string> = ZodUnion<S>;
  type ZodPipe<A extends Schema, B extends Schema> = Schema<Out<B>, In<A>>;
  type ZodTransform<Output, Input> = Schema<Output, Input>;
  type ZodObject<S extends Shape, Config = core.$strip> = Schema<ObjectOut<S, Config>, ObjectIn<S, Config>>;
  namespace core {
    interface $strip {
      readonly others: "dropped";
    }
    interface $strict {
      readonly others: "refused";
    }
    interface $loose {
      readonly others: "kept";
      readonly more: Record<string, unknown>;
    }
  }
}
