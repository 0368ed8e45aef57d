/** SHA-256 where the platform has none that answers at once: browsers only have an asynchronous one. */
import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** The SHA-256 of bytes, as 64 lower-case hex digits. */
export const sha256 = (bytes: Uint8Array): string => bytesToHex(digest(bytes));
