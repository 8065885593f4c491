/** What a publisher of prices signs, and how a reader checks it: the form of a descriptor, one a publisher. */
import type { PriceProof } from "../evidence/facts.ts";
import type { MarketSession } from "../values/market.ts";
import type { UnixSeconds } from "../values/time.ts";
import type { PublisherKeys } from "./publisherKeys.ts";

/** What the publisher says, in the form of the evidence. */
export interface SignedPrice {
  /** 0x and 64 digits. */
  readonly feedId: string;
  /** US dollars, exact, not negative. */
  readonly price: string;
  /** Half-width in US dollars of the interval that the publisher states around the price. */
  readonly confidence: string | null;
  /** The publisher's own time of the price, however late it is signed: of Chainlink when it was last seen. */
  readonly publishedAt: UnixSeconds;
  /** When the signers signed. */
  readonly signedAt: UnixSeconds;
  /** The market's session at `signedAt`; null where the publisher does not state one. */
  readonly session: MarketSession | null;
}

export type ProofCheck =
  /** Signed by that set of keys (`pyth router set 1`); `price` is what was signed. */
  | {
      readonly outcome: "signed";
      readonly by: string;
      /** Addresses, EIP-55, in the order of their signatures. */
      readonly signers: readonly string[];
      readonly price: SignedPrice;
    }
  /**
   * Nothing that this reader can check: the price is as good as the service that states it. `by` names the keys that the
   * proof claims; `price` is what they would have signed, null where the format is not known.
   */
  | {
      readonly outcome: "unknown";
      readonly reason: string;
      readonly by: string;
      readonly price: SignedPrice | null;
    }
  /** It proves nothing to any reader. */
  | { readonly outcome: "broken"; readonly reason: string };

export interface Publisher {
  /** Of its proofs in the evidence. */
  readonly format: string;
  /** The provider of its prices in the evidence. All that one publisher says is one source. */
  readonly provider: string;
  /**
   * Pure and offline.
   * @param bytes of a proof of one price, in its one form
   * @param chainId of the evidence: the local world's own keys count on its chain alone
   * @throws AttestorError `invalid_proof` for bytes that prove nothing to any reader
   */
  check(bytes: Uint8Array, keys: PublisherKeys, chainId: number): ProofCheck;
  /**
   * The proofs of single prices in what the publisher hands out.
   * @throws AttestorError `invalid_proof` for what is not of this publisher
   */
  proofsIn(update: Uint8Array): PriceProof[];
}
