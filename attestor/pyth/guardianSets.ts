/**
 * The guardians who sign for Pyth: each set with the time from which it signs, and where it stops.
 *
 * Where the sets come from: set 0, one key, stood in Wormhole's first contract. Each later set was named by its
 * predecessor in a signed message ("guardian set upgrade"), so that who trusts the first can check the whole chain; a
 * test does. Sets before 3 signed no price in this format.
 */
import * as z from "zod";
import { fromHex } from "../evm/hash.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { Address, UnixSeconds } from "../values/primitives.ts";
import { upgradeSignedBy } from "./guardianSetUpgrade.ts";

export const GuardianSet = z.strictObject({
  /** Its number; sets are numbered in the order of time. */
  index: z.int().min(0).max(0xffff_ffff),
  /** Unix seconds: the time of the message that named it. */
  validFrom: UnixSeconds,
  guardians: z.array(Address).min(1).max(255),
});
export type GuardianSet = z.infer<typeof GuardianSet>;
export type GuardianSets = readonly GuardianSet[];

/** So long does a set go on counting after its successor was named. */
export const RETIREMENT_SECONDS = 86_400;

/**
 * The local world signs its prices itself, by keys that everybody knows (accounts 17 to 19 of the development
 * mnemonic): it counts for evidence of the local chain and no other.
 */
export const LOCAL_GUARDIAN_SET: GuardianSet = {
  index: 31_337,
  validFrom: 0,
  guardians: [
    "0xbDA5747bFD65F08deb54cb465eB87D40e51B197E",
    "0xdD2FD4581271e230360230F9337D5c0430Bf44C0",
    "0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199",
  ],
};
export const LOCAL_CHAIN_ID = 31_337;

/** The sets that this program knows by itself. */
export const KNOWN_GUARDIAN_SETS: GuardianSets = [
  {
    index: 3,
    validFrom: 1_673_870_400,
    guardians: [
      "0x58CC3AE5C097b213cE3c81979e1B9f9570746AA5",
      "0xfF6CB952589BDE862c25Ef4392132fb9D4A42157",
      "0x114De8460193bdf3A2fCf81f86a09765F4762fD1",
      "0x107A0086b32d7A0977926A205131d8731D39cbEB",
      "0x8C82B2fd82FaeD2711d59AF0F2499D16e726f6b2",
      "0x11b39756C042441BE6D8650b69b54EbE715E2343",
      "0x54Ce5B4D348fb74B958e8966e2ec3dBd4958a7cd",
      "0x15e7cAF07C4e3DC8e7C469f92C8Cd88FB8005a20",
      "0x74a3bf913953D695260D88BC1aA25A4eeE363ef0",
      "0x000aC0076727b35FBea2dAc28fEE5cCB0fEA768e",
      "0xAF45Ced136b9D9e24903464AE889F5C8a723FC14",
      "0xf93124b7c738843CBB89E864c862c38cddCccF95",
      "0xD2CC37A4dc036a8D232b48f62cDD4731412f4890",
      "0xDA798F6896A3331F64b48c12D1D57Fd9cbe70811",
      "0x71AA1BE1D36CaFE3867910F99C09e347899C19C3",
      "0x8192b6E7387CCd768277c17DAb1b7a5027c0b3Cf",
      "0x178e21ad2E77AE06711549CFBB1f9c7a9d8096e8",
      "0x5E1487F35515d02A92753504a8D75471b9f49EdB",
      "0x6FbEBc898F403E4773E95feB15E80C9A99c8348d",
    ],
  },
  {
    index: 4,
    validFrom: 1_713_281_400,
    guardians: [
      "0x5893B5A76c3f739645648885bDCcC06cd70a3Cd3",
      "0xfF6CB952589BDE862c25Ef4392132fb9D4A42157",
      "0x114De8460193bdf3A2fCf81f86a09765F4762fD1",
      "0x107A0086b32d7A0977926A205131d8731D39cbEB",
      "0x8C82B2fd82FaeD2711d59AF0F2499D16e726f6b2",
      "0x11b39756C042441BE6D8650b69b54EbE715E2343",
      "0x54Ce5B4D348fb74B958e8966e2ec3dBd4958a7cd",
      "0x15e7cAF07C4e3DC8e7C469f92C8Cd88FB8005a20",
      "0x74a3bf913953D695260D88BC1aA25A4eeE363ef0",
      "0x000aC0076727b35FBea2dAc28fEE5cCB0fEA768e",
      "0xAF45Ced136b9D9e24903464AE889F5C8a723FC14",
      "0xf93124b7c738843CBB89E864c862c38cddCccF95",
      "0xD2CC37A4dc036a8D232b48f62cDD4731412f4890",
      "0xDA798F6896A3331F64b48c12D1D57Fd9cbe70811",
      "0x71AA1BE1D36CaFE3867910F99C09e347899C19C3",
      "0x8192b6E7387CCd768277c17DAb1b7a5027c0b3Cf",
      "0x178e21ad2E77AE06711549CFBB1f9c7a9d8096e8",
      "0x5E1487F35515d02A92753504a8D75471b9f49EdB",
      "0x6FbEBc898F403E4773E95feB15E80C9A99c8348d",
    ],
  },
  {
    index: 5,
    validFrom: 1_773_580_004,
    guardians: [
      "0x5893B5A76c3f739645648885bDCcC06cd70a3Cd3",
      "0xfF6CB952589BDE862c25Ef4392132fb9D4A42157",
      "0x114De8460193bdf3A2fCf81f86a09765F4762fD1",
      "0x107A0086b32d7A0977926A205131d8731D39cbEB",
      "0x8C82B2fd82FaeD2711d59AF0F2499D16e726f6b2",
      "0x11b39756C042441BE6D8650b69b54EbE715E2343",
      "0x938f104AEb5581293216ce97d771e0CB721221B1",
      "0x15e7cAF07C4e3DC8e7C469f92C8Cd88FB8005a20",
      "0x74a3bf913953D695260D88BC1aA25A4eeE363ef0",
      "0x000aC0076727b35FBea2dAc28fEE5cCB0fEA768e",
      "0xAF45Ced136b9D9e24903464AE889F5C8a723FC14",
      "0xf93124b7c738843CBB89E864c862c38cddCccF95",
      "0xD2CC37A4dc036a8D232b48f62cDD4731412f4890",
      "0xDA798F6896A3331F64b48c12D1D57Fd9cbe70811",
      "0xD1F64e26238811de5553C40f64af41eE1B6057Cc",
      "0x43ac8f567A31e7850Da532B361988Bfe0d3ae11b",
      "0x178e21ad2E77AE06711549CFBB1f9c7a9d8096e8",
      "0x5E1487F35515d02A92753504a8D75471b9f49EdB",
      "0x6FbEBc898F403E4773E95feB15E80C9A99c8348d",
    ],
  },
  {
    index: 6,
    validFrom: 1_777_981_932,
    guardians: [
      "0x5893B5A76c3f739645648885bDCcC06cd70a3Cd3",
      "0xfF6CB952589BDE862c25Ef4392132fb9D4A42157",
      "0x114De8460193bdf3A2fCf81f86a09765F4762fD1",
      "0x107A0086b32d7A0977926A205131d8731D39cbEB",
      "0x8C82B2fd82FaeD2711d59AF0F2499D16e726f6b2",
      "0x42579bFFbCF4276E290aB8E4C162bd4052b97970",
      "0x938f104AEb5581293216ce97d771e0CB721221B1",
      "0x18e41674CcF26329cD111406C1D05C6c80b23EdC",
      "0x9D16870160e703324D057c3361c34C5beFBa2c34",
      "0x000aC0076727b35FBea2dAc28fEE5cCB0fEA768e",
      "0xAF45Ced136b9D9e24903464AE889F5C8a723FC14",
      "0xf93124b7c738843CBB89E864c862c38cddCccF95",
      "0xD2CC37A4dc036a8D232b48f62cDD4731412f4890",
      "0xDA798F6896A3331F64b48c12D1D57Fd9cbe70811",
      "0xD1F64e26238811de5553C40f64af41eE1B6057Cc",
      "0x3F851Ad586A47ceF8d04748f33ab0D71395f06b4",
      "0x178e21ad2E77AE06711549CFBB1f9c7a9d8096e8",
      "0x7899cEAB1DC961Dae9defDB7A4f521269a5448FC",
      "0x6FbEBc898F403E4773E95feB15E80C9A99c8348d",
    ],
  },
  {
    index: 7,
    validFrom: 1_783_669_263,
    guardians: [
      "0x5893B5A76c3f739645648885bDCcC06cd70a3Cd3",
      "0xfF6CB952589BDE862c25Ef4392132fb9D4A42157",
      "0x114De8460193bdf3A2fCf81f86a09765F4762fD1",
      "0x107A0086b32d7A0977926A205131d8731D39cbEB",
      "0x8C82B2fd82FaeD2711d59AF0F2499D16e726f6b2",
      "0x42579bFFbCF4276E290aB8E4C162bd4052b97970",
      "0x938f104AEb5581293216ce97d771e0CB721221B1",
      "0xF3ea0AD4FFB5a178AE4EBc21861651B25BdcbB91",
      "0x9D16870160e703324D057c3361c34C5beFBa2c34",
      "0x000aC0076727b35FBea2dAc28fEE5cCB0fEA768e",
      "0xAF45Ced136b9D9e24903464AE889F5C8a723FC14",
      "0xf93124b7c738843CBB89E864c862c38cddCccF95",
      "0xD2CC37A4dc036a8D232b48f62cDD4731412f4890",
      "0xDA798F6896A3331F64b48c12D1D57Fd9cbe70811",
      "0xaE565927Bb8dB25CD8Bf3e7BB663D70023e4Ea78",
      "0x3F851Ad586A47ceF8d04748f33ab0D71395f06b4",
      "0x178e21ad2E77AE06711549CFBB1f9c7a9d8096e8",
      "0x7899cEAB1DC961Dae9defDB7A4f521269a5448FC",
      "0x61D9800f9FCb4160FB0C6cf3A0902592bAC2B434",
    ],
  },
];

const Hexadecimal = z
  .string()
  .max(20_000)
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal bytes");

/** A reader's own file of guardian sets. */
const GuardianSetsFile = z
  .strictObject({
    /** Sets that the reader trusts by their own word. */
    guardianSets: z.array(GuardianSet).max(64).default([]),
    /** Signed messages by which a set that is known here, or named by the message before, names its successor. */
    upgrades: z.array(Hexadecimal).max(64).default([]),
  })
  .refine(({ guardianSets, upgrades }) => guardianSets.length + upgrades.length > 0, "names no guardian set");

/**
 * The known sets and those of a reader's file.
 * @param value parsed JSON: `{"guardianSets": [{"index", "validFrom", "guardians"}], "upgrades": ["0x…"]}`
 * @throws AttestorError `invalid_guardian_sets` also for a set that is known here with other guardians, and for an
 *   upgrade that its predecessor did not sign
 */
export function withGuardianSets(value: unknown): GuardianSets {
  const parsed = GuardianSetsFile.safeParse(value);
  if (!parsed.success) throw new AttestorError("invalid_guardian_sets", z.prettifyError(parsed.error));
  const sets = new Map(KNOWN_GUARDIAN_SETS.map((set) => [set.index, set]));
  parsed.data.guardianSets.forEach((set) => {
    add(sets, set);
  });
  parsed.data.upgrades.forEach((upgrade, place) => {
    add(sets, namedBy(upgrade, `upgrades[${place}]`, sets));
  });
  return [...sets.values()].sort((a, b) => a.index - b.index);
}

function namedBy(upgrade: string, what: string, sets: ReadonlyMap<number, GuardianSet>): GuardianSet {
  try {
    return upgradeSignedBy(fromHex(upgrade), (index) => sets.get(index)?.guardians);
  } catch (error) {
    throw new AttestorError("invalid_guardian_sets", `${what} cannot be used: ${(error as Error).message}`);
  }
}

function add(sets: Map<number, GuardianSet>, set: GuardianSet): void {
  const known = sets.get(set.index) ?? (set.index === LOCAL_GUARDIAN_SET.index ? LOCAL_GUARDIAN_SET : null);
  if (known !== null && known.guardians.join() !== set.guardians.join())
    throw new AttestorError(
      "invalid_guardian_sets",
      `guardian set ${set.index} is known here with other guardians`,
    );
  if (known === null) sets.set(set.index, set);
}

/** The last second at which the set counts; null for the newest one. */
export function validUntil({ index }: GuardianSet, sets: GuardianSets): number | null {
  const later = sets.filter((set) => set.index > index).map(({ validFrom }) => validFrom);
  return later.length === 0 ? null : Math.min(...later) + RETIREMENT_SECONDS;
}
