{% materialization snapshot, adapter='ptvc' %}
  {{ exceptions.raise_compiler_error(
      "snapshot " ~ this.render() ~ " cannot be built: this runtime has no UPDATE ... FROM yet, which keeping the old "
      "versions of rows needs. Write the changes out with a sink meanwhile."
  ) }}
{% endmaterialization %}
