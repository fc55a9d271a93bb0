"""dbt's own conformance tests of the basics, unchanged unless a comment says why."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_empty import BaseEmpty
from dbt.tests.adapter.basic.test_ephemeral import BaseEphemeral
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_incremental import BaseIncremental
from dbt.tests.adapter.basic.test_singular_tests import BaseSingularTests
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import BaseSingularTestsEphemeral
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.basic.test_validate_connection import BaseValidateConnection


class TestSimpleMaterializations(BaseSimpleMaterializations):
    pass


@pytest.mark.slow
class TestSingularTests(BaseSingularTests):
    pass


@pytest.mark.slow
class TestSingularTestsEphemeral(BaseSingularTestsEphemeral):
    pass


@pytest.mark.slow
class TestEmpty(BaseEmpty):
    pass


@pytest.mark.slow
class TestEphemeral(BaseEphemeral):
    pass


class TestGenericTests(BaseGenericTests):
    pass


class TestIncremental(BaseIncremental):
    pass


@pytest.mark.slow
class TestTableMaterialization(BaseTableMaterialization):
    pass


@pytest.mark.slow
class TestAdapterMethods(BaseAdapterMethod):
    pass


@pytest.mark.slow
class TestValidateConnection(BaseValidateConnection):
    pass
