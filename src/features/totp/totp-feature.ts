// The routes that set one-time codes up, as a feature. Without the feature, users who have set codes up still
// need them.
import type { Feature } from '../feature.ts';

export const totp: Feature = {
  name: 'totp',
  needs: [],
  async load() {
    const { totpRoutes } = await import('./totp-routes.ts');
    return ({ passwords, sealedSecrets }) => {
      const routes = totpRoutes({ passwords, totpSecrets: sealedSecrets('totp') });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};
