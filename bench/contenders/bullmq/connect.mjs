import { Redis } from 'ioredis'

export function openConnection({ address }) {
  return new Redis({ host: '127.0.0.1', port: Number(address), maxRetriesPerRequest: null })
}
