USE Zoo
GO
SET ANSI_NULLS ON
GO
/* Archives what is old. */
CREATE PROCEDURE dbo.ArchiveMeerkats @days INT
AS
BEGIN
  DECLARE @cut DATETIME = DATEADD(day, -@days, GETDATE());
  BEGIN TRY
    DELETE FROM dbo.Meerkat WHERE seen < @cut;
  END TRY
  BEGIN CATCH
    THROW;
  END CATCH
END
GO
CREATE PROC dbo.Short AS
  SELECT 1;
  SELECT 2;
GO
ALTER FUNCTION dbo.fnAge(@id INT) RETURNS INT AS
BEGIN
  RETURN (SELECT age FROM dbo.Meerkat WHERE id = @id);
END
GO
CREATE VIEW dbo.[Meerkat Summary] AS SELECT COUNT(*) AS n FROM dbo.Meerkat
GO
