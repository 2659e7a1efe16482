// Imports as a feature: lines of a file that create objects.
import type { Feature } from '../feature.ts';
import { products } from '../products/products-feature.ts';
import { importsMigrations } from './imports-migrations.ts';

export const imports: Feature = {
  name: 'imports',
  needs: [products],
  migrations: importsMigrations,
  async load() {
    const { importRoutes } = await import('./import-routes.ts');
    const { Imports } = await import('./line-imports.ts');
    return (services) => {
      const running = new Imports(services);
      const others = services.declared.imported.filter(({ plural }) => services.has(plural));
      return {
        groups: [{ invalidStatus: 422, routes: importRoutes({ ...services, imports: running, others }) }],
        metrics: () => running.families,
      };
    };
  },
};
